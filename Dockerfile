# Two images, of the dependencies alone: jobs import the package from the working folder, so that conf/ and code are one.
#   docker build --target cpu --tag openswerl:cpu .
#   docker build --target cuda --tag openswerl:cuda .    with vLLM; PyTorch's wheels bring CUDA, the host its driver
FROM python:3.11-slim-bookworm AS base
# Debian keeps the last version of a package alone, so none is named.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap g++ gcc git libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
ENV PYTHONPATH=src

FROM base AS cuda
COPY constraints-gpu.txt ./
RUN pip install --no-cache-dir -c constraints-gpu.txt '.[gpu]' && pip uninstall --yes open-swe-rl

FROM base AS cpu
COPY constraints.txt ./
RUN pip install --no-cache-dir -c constraints.txt . && pip uninstall --yes open-swe-rl
