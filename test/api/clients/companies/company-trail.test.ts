import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf, trailOf } from "./company-records.ts";

describe("traces of a company", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const patch = (id: string, body: unknown) => tenant.owner.patch(`/companies/${id}`, body);
  const person = (caller: { accountId: string }) => ({ user_id: caller.accountId });

  describe("in the outbox", () => {
    it("is company.created for a create, with any status, to all assignees", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      for (const status of ["lead", "active", "archived"]) {
        const { id } = await tenant.company({ name: "Made", status, assignees: [person(anna), person(bob)] });
        expect(await eventsOf(service.sql, id)).to.deep.equal([
          {
            event: "company.created",
            payload: { company_id: id, status, title: "Made", recipients: [anna.accountId, bob.accountId] },
          },
        ]);
      }
    });

    it("is company.status_changed when the status really changed, to all current assignees", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { id } = await tenant.company({ name: "Old", status: "lead", assignees: [person(anna)] });
      await patch(id, { status: "lead" });
      await patch(id, { status: "active", name: "New" });
      await patch(id, { status: "archived", assignees: [person(bob)] });
      expect((await eventsOf(service.sql, id)).slice(1)).to.deep.equal([
        {
          event: "company.status_changed",
          payload: {
            company_id: id,
            status: "active",
            previous_status: "lead",
            from: "lead",
            to: "active",
            title: "New",
            recipients: [anna.accountId],
          },
        },
        {
          event: "company.status_changed",
          payload: {
            company_id: id,
            status: "archived",
            previous_status: "active",
            from: "active",
            to: "archived",
            title: "New",
            recipients: [bob.accountId],
          },
        },
        { event: "company.assigned", payload: { company_id: id, title: "New", recipients: [bob.accountId] } },
      ]);
    });

    it("is company.assigned only for people added, by either field", async () => {
      const [anna, bob, carl] = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
      const { id } = await tenant.company({ name: "Team" });
      await patch(id, { responsible_user_id: anna.accountId });
      await patch(id, { assignees: [person(bob), person(anna), person(carl)] });
      await patch(id, { assignees: [person(bob)] });
      await patch(id, { responsible_user_id: null });
      expect((await eventsOf(service.sql, id)).slice(1)).to.deep.equal([
        { event: "company.assigned", payload: { company_id: id, title: "Team", recipients: [anna.accountId] } },
        { event: "company.assigned", payload: { company_id: id, title: "Team", recipients: [bob.accountId, carl.accountId] } },
      ]);
    });

    it("is nothing for other changes, refused writes, no changes and deletes", async () => {
      const { id } = await tenant.company({ name: "Quiet", city: "Ede" });
      await patch(id, { name: "Quieter", notes: "n" });
      await patch(id, { name: "Quieter", status: "active", assignees: [] });
      await patch(id, { status: "lead", phone: "x" });
      await patch(id, { status: "lead", responsible_user_id: id });
      await tenant.owner.delete(`/companies/${id}`);
      expect((await eventsOf(service.sql, id)).map(({ event }) => event)).to.deep.equal(["company.created"]);
    });
  });

  describe("in the trail", () => {
    it("is created, then only what changed of the tracked fields", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const before = {
        name: "A",
        legal_name: "A B.V.",
        client_number: "T-1",
        website: "a.test",
        phone: "020 123 4567",
        invoice_email: "a@a.test",
        status: "lead",
        responsible_user_id: anna.accountId,
        vat_number: "V1",
        coc_number: "C1",
        address_line1: "L1",
        house_number: "1",
        address_line2: "M1",
        postal_code: "1000 AA",
        city: "Ede",
        country: "NL",
      };
      const after = {
        name: "B",
        legal_name: "B B.V.",
        client_number: "T-2",
        website: "b.test",
        phone: "020 765 4321",
        invoice_email: "B@a.test",
        status: "active",
        responsible_user_id: bob.accountId,
        vat_number: "V2",
        coc_number: "C2",
        address_line1: "L2",
        house_number: "2",
        address_line2: null,
        postal_code: "",
        city: "Epe",
        country: "BE",
      };
      const { id } = await tenant.company(before);
      await patch(id, { ...after, country: "NL" });
      await patch(id, { country: "BE" });
      const lines = await trailOf(service.sql, "company", id);
      expect(lines.map(({ action }) => action)).to.deep.equal(["created", "updated", "updated"]);
      const stored = { ...after, phone: "+31207654321", invoice_email: "b@a.test", postal_code: null };
      const { country, ...rest } = stored;
      const from = { ...before, phone: "+31201234567" };
      expect(lines[1]?.payload).to.deep.equal({
        changes: Object.fromEntries(
          Object.entries(rest).map(([field, to]) => [field, { from: from[field as keyof typeof from], to }]),
        ),
      });
      expect(lines[2]?.payload).to.deep.equal({ changes: { country: { from: "NL", to: country } } });
    });

    it("never contains notes, custom values or people except the primary", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { id } = await tenant.company({ assignees: [person(anna)] });
      await service.sql.query(`update companies set custom = '{"secret": "x"}' where id = $1`, [id]);
      await patch(id, { notes: "secret", custom: {} });
      await patch(id, { assignees: [person(anna), person(bob)] });
      await patch(id, { notes: "more", city: "Ede" });
      const lines = await trailOf(service.sql, "company", id);
      expect(lines.slice(1).map(({ payload }) => payload)).to.deep.equal([{ changes: { city: { from: null, to: "Ede" } } }]);
      expect(JSON.stringify(lines)).not.to.contain("secret");
    });

    it("says who is responsible when the star moves or goes", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { id } = await tenant.company({ assignees: [person(anna), person(bob)] });
      await patch(id, { responsible_user_id: bob.accountId });
      await patch(id, { assignees: [] });
      const changes = (await trailOf(service.sql, "company", id)).slice(1).map(({ payload }) => payload.changes);
      expect(changes).to.deep.equal([
        { responsible_user_id: { from: anna.accountId, to: bob.accountId } },
        { responsible_user_id: { from: bob.accountId, to: null } },
      ]);
    });

    it("is nothing for a write that changes nothing or is refused", async () => {
      const { id } = await tenant.company({ city: "Ede", phone: "020 123 4567" });
      await patch(id, { city: "Ede", status: "active", phone: "+31 20 123 4567", legal_name: " " });
      await patch(id, {});
      await patch(id, { city: "Epe", status: "gone" });
      await patch(id, { city: "Epe", assignees: [{ user_id: id }] });
      await tenant.owner.patch(`/companies/${id}`, { city: "Epe" }, { headers: { "If-Match": '"9"' } });
      expect(await trailOf(service.sql, "company", id)).to.have.lengthOf(1);
    });

    it("survives the company, and its deletion adds no line", async () => {
      const { id } = await tenant.company({ name: "Gone" });
      await patch(id, { city: "Ede" });
      await tenant.owner.delete(`/companies/${id}`);
      expect((await trailOf(service.sql, "company", id)).map(({ action }) => action)).to.deep.equal(["created", "updated"]);
    });

    it("names the actor as at the time: full name, else e-mail", async () => {
      const [named, nameless] = [await tenant.member("admin", { name: "Ann Actor" }), await tenant.member("admin", { name: "" })];
      const { id } = (await named.post("/companies", { name: "By Ann" })).body;
      await service.sql.query("update accounts set full_name = 'Ann Renamed' where id = $1", [named.accountId]);
      await named.patch(`/companies/${id}`, { city: "Ede" });
      await nameless.patch(`/companies/${id}`, { city: "Epe" });
      const lines = await trailOf(service.sql, "company", id);
      expect(lines.map(({ actor_name: name }) => name)).to.deep.equal(["Ann Actor", "Ann Renamed", nameless.email]);
      expect(lines.map(({ actor_account_id: account }) => account)).to.deep.equal([
        named.accountId,
        named.accountId,
        nameless.accountId,
      ]);
      for (const line of lines) expect([line.actor_service_account_id, line.impersonator_name]).to.deep.equal([null, null]);
    });

    it("names a service account, which has no account row", async () => {
      const machine = await tenant.serviceAccount(["companies.company.read", "companies.company.write"]);
      const { status, body } = await machine.post("/companies", { name: "By machine" });
      expect(status).to.equal(201);
      const [line] = await trailOf(service.sql, "company", body.id);
      expect(line).to.include({
        actor_name: machine.email,
        actor_account_id: null,
        actor_service_account_id: machine.accountId,
      });
    });

    it("cannot be changed or removed by the service", async () => {
      const { rows } = await service.sql.query(
        `select has_table_privilege('kantoor_app', 'activity', 'update') as changes, has_table_privilege('kantoor_app', 'activity', 'delete') as removes`,
      );
      expect(rows[0]).to.deep.equal({ changes: false, removes: false });
    });
  });
});
