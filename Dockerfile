# Citeseek with all its extras, as a user without rights: the chat page and the REST API, or another command.
# docker build --tag localhost/citeseek:0.1.0 .
FROM docker.io/library/python:3.11.15-slim-trixie AS build
WORKDIR /build
RUN python -m venv /opt/citeseek
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN /opt/citeseek/bin/pip install --no-cache-dir --constraint constraints.txt '.[all]'

FROM docker.io/library/python:3.11.15-slim-trixie
# For pages that scripts build, and for the engines behind a browser. Debian keeps one version of a package, the
# one with the repairs: a named one would be gone soon.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-liberation fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --create-home --home-dir /data --shell /usr/sbin/nologin citeseek
COPY --from=build /opt/citeseek /opt/citeseek
ENV PATH=/opt/citeseek/bin:$PATH \
    CITESEEK_HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/api/v1/health', timeout=8)"]
# Beyond one machine the server wants a token: docker run --env CITESEEK_TOKEN …
ENTRYPOINT ["citeseek"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
