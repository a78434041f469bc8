"""What must hold of the protocols, one file each under the model's name, and the catalogue that joins them."""
