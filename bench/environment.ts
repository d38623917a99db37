/** Settings of a measured service on its own database; no limits apply, except those a bench sets. */
export const measuredService = (databaseUrl: string, ownerUrl?: string): Record<string, string> => ({
  SERVICE_DATABASE_URL: databaseUrl,
  ...(ownerUrl !== undefined && { SERVICE_DATABASE_MIGRATION_URL: ownerUrl }),
  SERVICE_SECRET: "for a benchmark that nobody else can reach, 0123456789",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
  SERVICE_PUBLIC_SCHEME: "http",
  SERVICE_BASE_DOMAIN: "bench.test",
  SERVICE_LOG_LEVEL: "warn",
  SERVICE_RATE_LIMIT_PER_KEY: "0",
});
