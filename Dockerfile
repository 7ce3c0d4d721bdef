# The experiments in a container:
#   docker build -t manifest .
#   docker run --rm -v "$PWD/outputs:/project/outputs" manifest experiment=xor100 profile=smoke
FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends make git gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /project
COPY requirements-run.lock .
RUN python -m pip install --no-cache-dir --require-hashes -r requirements-run.lock
COPY . .
RUN python -m experiments.evaluation.svm.build
ENTRYPOINT ["python", "run.py"]
CMD ["--help"]
