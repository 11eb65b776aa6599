"""The cases, by what fails."""
