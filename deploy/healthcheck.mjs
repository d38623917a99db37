// Ends with status 0 when the node of this container lives: at the gateway's port, else at that of the probes.
const { SERVICE_HTTP_PORT = "3000", SERVICE_HEALTH_PORT } = process.env;

for (const port of [SERVICE_HTTP_PORT, SERVICE_HEALTH_PORT].filter(Boolean))
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(4000) });
    if (status === 200) process.exit(0);
  } catch {
    // The other port may answer.
  }
process.exit(1);
