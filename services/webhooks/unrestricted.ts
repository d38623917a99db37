/** Why the generic test of selections does not apply here. */
export const UNRESTRICTED =
  "events of every client are sent, so a restricted caller is refused (conventions §5); test/api/webhooks/webhook-endpoints.test.ts shows it";
