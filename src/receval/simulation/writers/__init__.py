"""Writers of the raw formats of the rating datasets, one module per format."""
