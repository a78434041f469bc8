from pathlib import Path

JAVA_HOME: Path
