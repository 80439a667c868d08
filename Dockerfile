# The server in a container: the chat page and the REST API, as a user without rights.
# docker build --tag localhost/citeseek:latest .
FROM docker.io/library/python:3.11-slim AS build
WORKDIR /build
RUN python -m venv /opt/citeseek
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN /opt/citeseek/bin/pip install --no-cache-dir --constraint constraints.txt '.[serve,fetch,documents,mcp]'

FROM docker.io/library/python:3.11-slim
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
