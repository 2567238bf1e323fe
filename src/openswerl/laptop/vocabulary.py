"""The words that the generated repositories are made of."""

VERBS = "compute get find collect build count measure select scan check resolve fetch derive pick load merge".split()
NOUNS = (
    "total score price order user cart page word line event slot node edge token sample rate stock invoice ticket row "
    "block record"
).split()
SEQUENCES = "items values data rows entries numbers points records samples events".split()
BOUNDS = "limit bound cutoff cap level target floor threshold quota minimum".split()
FACTORS = "amount factor step offset weight rate delta unit margin scale".split()
TEXTS = "name title label text tag key".split()
ELEMENTS = "x item val row entry cell".split()
PACKAGES = "billing shop stats core utils report queue graph store sched audit ledger".split()
MODULES = "helpers calc ops base tools models views logic rules checks common parts".split()
OWNERS = "northwind bluefin oakhill kestrel marble lantern juniper harbor quartz willow ember tundra".split()
PEOPLE = "alice bruno chen dara emil fatou goran hana ines jonas kavya liam mira noor otto petra".split()
