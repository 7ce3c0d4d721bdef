# The experiments in a container:
#   docker build -t manifest .
#   docker run --rm -v "$PWD/outputs:/project/outputs" manifest experiment=xor100 profile=smoke
FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends make git gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /project
COPY Makefile requirements-run.lock ./
RUN PIP_NO_CACHE_DIR=1 make .install PYTHON=python
COPY . .
RUN make .solver
ENTRYPOINT [".venv/bin/python", "run.py"]
CMD ["--help"]
