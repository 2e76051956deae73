"""The wordings by which `trimtab.pins` finds what the user requires."""
