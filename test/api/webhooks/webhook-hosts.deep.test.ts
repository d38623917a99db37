import { expect } from "chai";
import { NameServer } from "../../simulators/names.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { ENDPOINTS } from "./webhook-world.ts";

describe("hosts of webhook endpoints", () => {
  const dns = new NameServer();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await dns.start();
    service = await startService({ SERVICE_OUTBOUND_NAME_SERVERS: dns.address });
    tenant = await service.tenant();
  });
  after(async () => {
    await service.stop();
    await dns.stop();
  });

  const outcomes: [host: string, answer: object | undefined][] = [
    ["nowhere.example", { url: "errors.invalid_url" }],
    ["empty.example", { url: "errors.invalid_url" }],
    ["nowhere..example", { url: "errors.invalid_url" }],
    ["own.example", { url: "errors.webhook_private_target" }],
    ["public.example", undefined],
    ["troubled.example", undefined],
  ];
  for (const [host, fields] of outcomes)
    it(`${fields ? "are refused" : "are accepted"} when saved: ${host}`, async () => {
      dns.hold("empty.example", {});
      dns.hold("own.example", { a: ["10.1.2.3"] });
      dns.hold("public.example", { a: ["93.184.216.34"] });
      dns.hold("troubled.example", { rcode: "SERVFAIL" });
      const values = { name: host, url: `https://${host}/hook`, events: ["company.created"], enabled: false };
      const made = await tenant.owner.post(ENDPOINTS, values);
      expect([made.status, made.body.error?.fields], made.text).to.deep.equal(fields ? [422, fields] : [201, undefined]);
      const { body } = await tenant.owner.post(ENDPOINTS, { ...values, url: "https://93.184.215.14/hook" });
      const changed = await tenant.owner.patch(`${ENDPOINTS}/${body.id}`, { url: values.url });
      expect([changed.status, changed.body.error?.fields], changed.text).to.deep.equal(fields ? [422, fields] : [200, undefined]);
    });
});
