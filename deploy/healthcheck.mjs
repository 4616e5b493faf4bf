// The health check of every service's container: 0 when its own /health/ready says so.
const response = await fetch(`http://127.0.0.1:${process.env.PORT || 4700}/health/ready`).catch(() => null);
process.exit(response?.ok ? 0 : 1);
