import { expect } from "chai";
import { type DemoService, startDemo } from "../../support/examples.ts";

const UNCONNECTED = "the demo connects no provider";
const SESSION = "it needs a session, and a caller of the API has a key";
const SECRET = "the token of a link is a secret, different in every installation";
const ISSUED = "the invoice of all examples is paid: it is no draft, and no notice is left";
const NONE = "the demo has no such record";

/** Reads whose example the demo cannot answer, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  "/ads-platform/accounts/available": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/ad-groups": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/ads": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/campaigns": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/changes": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/conversions": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/devices": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/geo": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/keywords": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/negatives": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/recommendations": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/search-terms": UNCONNECTED,
  "/ads-platform/accounts/{account_id}/snapshot": UNCONNECTED,
  "/ai/reports/{report_id}": NONE,
  "/auth/2fa": SESSION,
  "/auth/oidc/login": UNCONNECTED,
  "/auth/sessions": SESSION,
  "/companies/{company_id}/logo": NONE,
  "/deleted": "the demo is younger than the instant of any example",
  "/edge/zones/{zone_id}/dns": UNCONNECTED,
  "/edge/zones/{zone_id}/dns/export": UNCONNECTED,
  "/files/{file_id}": NONE,
  "/files/{file_id}/public": NONE,
  "/hr/documents/{document_id}/file": NONE,
  "/impex/jobs/{job_id}": NONE,
  "/invoicing/invoices/{invoice_id}/claim/letter": ISSUED,
  "/invoicing/invoices/{invoice_id}/proforma/pdf": ISSUED,
  "/invoicing/invoices/{invoice_id}/proforma/preview": ISSUED,
  "/invoicing/public/invoices/{token}": SECRET,
  "/invoicing/public/invoices/{token}/pdf": SECRET,
  "/invoicing/public/invoices/{token}/preview": SECRET,
  "/invoicing/public/quotes/{token}": SECRET,
  "/invoicing/public/quotes/{token}/pdf": SECRET,
  "/invoicing/public/quotes/{token}/preview": SECRET,
  "/leave/calendar.ics": SECRET,
  "/oauth/consent": SESSION,
  "/portal/logins/{entity_type}/{subject_id}": NONE,
  "/reporting/reports/{report_id}/pdf": NONE,
  "/service-accounts/{account_id}/keys": NONE,
  "/settings/service-access": NONE,
  "/tasks/calendar.ics": SECRET,
  "/tasks/schedules": "it needs a task or a span, so neither is required alone",
  "/tasks/templates/{template_id}": NONE,
  "/uptime/profiles/{profile_id}": NONE,
  "/users/me": SESSION,
  "/users/{id}": SESSION,
  "/webhooks/deliveries/{delivery_id}": NONE,
  "/workspace/drive/browse": UNCONNECTED,
  "/workspace/mail/lookup": UNCONNECTED,
  "/workspace/mail/search": UNCONNECTED,
  "/workspace/mail/threads/{thread_id}": UNCONNECTED,
  "/workspace/oauth/connect": UNCONNECTED,
};

describe("examples of the reference, sent to the demo", function () {
  this.timeout(120_000);
  let demo: DemoService;
  before(async () => {
    demo = await startDemo();
  });
  after(() => demo?.service.stop());

  it("are answered by every operation that reads, except where the demo has no such thing", async () => {
    const refused: string[] = [];
    for (const { place, path } of demo.reads) {
      const { status, text } = await demo.get(path);
      const isAnswered = status >= 200 && status < 400;
      if (!isAnswered && REFUSED[place] === undefined) refused.push(`${path}: ${status} ${text.slice(0, 200)}`);
      if (isAnswered && REFUSED[place] !== undefined) refused.push(`${place} is answered: it is no exception`);
    }
    expect(demo.reads.length).to.be.greaterThan(280);
    expect(refused).to.deep.equal([]);
  });
});
