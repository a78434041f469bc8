"""What must hold of the studies in `model/studies/`, under the same names."""
