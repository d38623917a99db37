import { expect } from "chai";
import { importSheet } from "../../support/impex.ts";
import type { Tenant } from "../../support/service.ts";
import { ok } from "../money/documents/invoicing.ts";
import { DELIVERIES, inWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

describe("events of clients and contacts that the trail has no line for", () => {
  let world: WebhookWorld;
  let tenant: Tenant;
  inWebhookWorld((opened, fresh) => {
    [world, tenant] = [opened, fresh];
  });

  /** The updates recorded so far, in the order in which they are sent: the record and its changed fields. */
  const updates = async () => {
    const { rows } = await world.service.sql.query("select id from webhook_deliveries where organisation_id = $1 order by seq", [
      tenant.organisation.id,
    ]);
    const found = await Promise.all(rows.map(({ id }) => ok(tenant.owner.get(`${DELIVERIES}/${id}`))));
    return found.map(({ entity_id, request_body }) => [entity_id, JSON.parse(request_body).data.payload.changed]);
  };
  const contact = async (first_name: string, company_ids: string[] = []): Promise<string> =>
    (await ok(tenant.owner.post("/contacts", { first_name, company_ids }))).id;

  it("are a contact's whose link is made, changed or removed, or that is no longer the primary one", async () => {
    const [company, other] = [await tenant.company({ client_number: "K-1" }), await tenant.company()];
    const [an, bo] = [await contact("An", [company.id]), await contact("Bo")];
    await world.endpoint(tenant, { events: ["contact.updated"] });
    const link = { company_id: company.id };
    await ok(tenant.owner.post(`/contacts/${bo}/links`, link));
    await ok(tenant.owner.post(`/contacts/${bo}/links`, link));
    await ok(tenant.owner.patch(`/contacts/${bo}/links/${company.id}`, { is_primary: true }));
    await ok(tenant.owner.delete(`/contacts/${bo}/links/${company.id}`));
    await ok(tenant.owner.delete(`/contacts/${bo}/links/${company.id}`));
    await importSheet(tenant.owner, "contact", "first_name,companies,primary\nAn,K-1,yes\n");
    await importSheet(tenant.owner, "contact", "first_name,companies,primary\nAn,K-1,yes\n");
    await ok(tenant.owner.post("/bulk/contact/update", { ids: [bo], values: { company: other.id } }));
    const changed = ["companies"];
    expect(await updates()).to.deep.equal([
      [bo, changed],
      [an, changed],
      [bo, changed],
      [bo, changed],
      [an, changed],
      [bo, changed],
    ]);
  });

  it("are a client's that a backfill numbers", async () => {
    await ok(tenant.owner.put("/companies/settings", { client_number_auto: false }));
    const [company] = [await tenant.company(), await tenant.company({ client_number: "7" })];
    await world.endpoint(tenant, { events: ["company.updated"] });
    await ok(tenant.owner.post("/companies/settings/backfill-client-numbers"));
    expect(await updates()).to.deep.equal([[company?.id, ["client_number"]]]);
  });
});
