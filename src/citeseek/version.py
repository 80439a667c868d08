"""The version, written down once."""

VERSION = "0.1.0"
