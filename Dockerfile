# The image holds one static binary, the CA certificates and an example file; nothing in it is a shell.
#
#   docker build --build-arg VERSION=1.2.3 --tag sonde .
#   docker run --publish 10115:10115 --volume "$PWD/probes:/etc/sonde:ro" sonde
#
# Mount a folder rather than a single file: a file that is bound alone goes on showing its old content
# after an editor has replaced it.

FROM golang:1.26 AS build
WORKDIR /src
# The dependencies come first, so that a change of ours does not fetch them again.
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY probe probe
COPY schema schema
ARG VERSION=dev
# The tag timetzdata embeds the time zones. The command after it fails the build if the binary does not start.
RUN CGO_ENABLED=0 go build -trimpath -tags timetzdata -ldflags "-s -w -X main.version=${VERSION}" -o /sonde ./cmd/sonde \
 && /sonde version

FROM scratch
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sonde" \
      org.opencontainers.image.description="Probes endpoints that a YAML file declares, retries within a budget, and tells flaky from down." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Go looks for the CA certificates here first.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /sonde /sonde
COPY probes.yaml /etc/sonde/probes.yaml
COPY LICENSE /LICENSE
# Here `docker run sonde once` finds its file, too.
WORKDIR /etc/sonde
# A number, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532
EXPOSE 10115
# It asks http://127.0.0.1:10115: with another --web.listen-address, a route prefix or a web.yml that wants TLS or a
# password, give an image made FROM this one a HEALTHCHECK with --url, or docker run --no-healthcheck. (--health-cmd wants a
# shell.) Kubernetes has probes of its own.
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s --retries=3 CMD ["/sonde", "healthcheck"]
ENTRYPOINT ["/sonde"]
CMD ["run", "--config.file=/etc/sonde"]
