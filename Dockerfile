# The dependencies alone: jobs import the package from the working folder, so that conf/ and code are one.
FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap gcc git libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir -c constraints.txt . && pip uninstall --yes open-swe-rl
ENV PYTHONPATH=src
