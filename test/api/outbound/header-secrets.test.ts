import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** Where a caller's key is stored that a provider gets in a header. */
const STORED: readonly (readonly [path: string, field: string, body: (key: string) => object])[] = [
  ["/ai/settings", "api_key", (api_key) => ({ provider: "anthropic", api_key })],
  [
    "/ai/settings",
    "speech_api_key",
    (speech_api_key) => ({ provider: "anthropic", api_key: "a-key", speech_provider: "openai", speech_api_key }),
  ],
  ["/marketing/settings", "ads_developer_token", (ads_developer_token) => ({ ads_developer_token })],
  ["/marketing/settings", "seranking_api_key", (seranking_api_key) => ({ seranking_api_key })],
  ["/ads-platform/settings", "developer_token", (developer_token) => ({ developer_token })],
  ...["brevo", "sendgrid", "smtp2go"].map(
    (provider) =>
      ["/settings/email", "secret", (secret: string) => ({ provider, from_address: "a@noord.test", secret })] as const,
  ),
];

describe("keys that providers get in a header", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  for (const [index, [path, field, body]] of STORED.entries())
    it(`are refused by ${field} of ${path} outside ASCII (${index + 1})`, async () => {
      for (const key of ["key\u2192secret", "cl\u00e9", "\u{1f511}"]) {
        const { status, body: answer, text } = await tenant.owner.put(path, body(key));
        expect([status, answer.error?.fields], text).to.deep.equal([422, { [field]: "errors.validation" }]);
      }
      const { status, text } = await tenant.owner.put(path, body("a-key_0123:x"));
      expect(status, text).to.equal(200);
    });

  it("do not limit the password of a relay", async () => {
    const relay = {
      provider: "smtp",
      host: "relay.example",
      port: 587,
      security: "starttls",
      username: "a",
      from_address: "a@noord.test",
    };
    const { status, text } = await tenant.owner.put("/settings/email", { ...relay, secret: "wachtwoord\u2192\u00e9" });
    expect(status, text).to.equal(200);
  });
});
