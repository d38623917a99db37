import { expect } from "chai";
import { holds, storedGrants, systemRoles } from "../../../core/declare/permissions.ts";
import { referencesOf, replaced } from "../../support/fixture/fixture-bodies.ts";
import { allMakers, makerOf } from "../../support/fixture/fixture-makers.ts";
import {
  idParameters,
  isOpen,
  isWrite,
  longestPage,
  needsSession,
  type Operation,
  sortKeys,
} from "../../support/fixture/fixture-operations.ts";
import { nobody } from "../../support/fixture/fixture-tools.ts";
import { inTurn, isWhole } from "../../support/fixture/fixture-turns.ts";
import { type Credential, difference, keyOf, type Rows, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Place } from "../../support/fixture/fixtures.ts";
import { nothingBut, watchWrites } from "../../support/fixture/write-log.ts";
import type { Answer } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";
import { makeLogin, signedIn } from "./portal.ts";

const CONFIGURATION = "configuration of the organisation, no client's data (conventions §5)";
const PERSONAL = "a person's own; staff notifications never reach a client login (conventions §6)";
/**
 * Reads in which a client login finds nothing of its clients, each with the reason. Every other one that its role may call has to show
 * something of them and nothing of another's: what is new needs rows in the fixtures of its module, or a line here.
 */
const NOTHING: Record<string, string> = {
  "GET /activity": "the trail is not for client logins (conventions §6)",
  "GET /contacts/types": CONFIGURATION,
  "GET /custom-fields/definitions": CONFIGURATION,
  "GET /custom-fields/definitions/batch": CONFIGURATION,
  "GET /custom-fields/entity-types": CONFIGURATION,
  "GET /deleted": "ids of rows that are gone; api/http/deleted shows which a client login reads (conventions §10)",
  "GET /members/lookup": "names of the staff, without addresses (access §4.3)",
  "GET /nav/prefs": PERSONAL,
  "GET /notifications": PERSONAL,
  "GET /notifications/activity": "not for client logins (platform §3)",
  "GET /notifications/preferences": PERSONAL,
  "GET /notifications/push/config": CONFIGURATION,
  "GET /notifications/push/subscriptions": PERSONAL,
  "GET /notifications/unread-count": PERSONAL,
  "GET /notifications/watch": PERSONAL,
  "GET /permissions/catalog": CONFIGURATION,
  "GET /prefs": PERSONAL,
  "GET /projects/dashboard-budgets": "hours on projects are not for client logins (work §2.4)",
  "GET /providers": CONFIGURATION,
  "GET /providers/{provider_id}": CONFIGURATION,
  "GET /tasks/labels": CONFIGURATION,
  "GET /tasks/statuses": CONFIGURATION,
};

/** Operations that the role can call in general, but not with the fixtures' rows and bodies, each with their answers. */
const REFUSED: Record<string, number> = {
  // Of drafts, which clients do not see.
  "GET /invoicing/invoices/{invoice_id}/proforma/pdf": 409,
  "GET /invoicing/invoices/{invoice_id}/proforma/preview": 409,
  // Of another person: a notification, a browser, a channel, a colleague's text.
  "PUT /notifications/preferences": 404,
  "DELETE /notifications/push/subscriptions/{subscription_id}": 404,
  "PATCH /notifications/{notification_id}": 404,
  "DELETE /tasks/{task_id}/comments/{comment_id}": 403,
  "PATCH /tasks/{task_id}/comments/{comment_id}": 403,
};
/** Lists of records with the caller on the roster, which here are all tasks, and the list that has them for everyone. */
const ROSTERED: Record<string, string> = { "GET /tasks/mine": "GET /tasks", "GET /tasks/dashboard-mine": "GET /tasks" };
/** The rows of another client bring a colleague whose grant reads its advertising: staff, and no client's data (access §4.3). */
const STAFF = "GET /members/lookup";
/** Values created again for every answer. */
const MOVING = /D:\d+[+-]?[\d']*|\/ID \[.*?\]/g;

describe("a client login's reads and writes in every module", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;
  let [own, other]: Place[] = [];
  /** Logins of a contact of the first client, and of one without a client. */
  let [client, empty]: Credential[] = [];
  const granted = systemRoles().find(({ key }) => key === "client")?.grants ?? [];
  /** Ids of records that are another client's, no client's, or not for clients. */
  const hidden: string[] = [];
  let drafts: string[] = [];
  /** Rows of no client, and the client's rows that are not for clients, by the parameter that accepts them. */
  let unseenBy: Record<string, string[]> = {};
  const prepared = new Map<string, Rows>();

  before(async () => {
    world = await sharedWorld();
    const { service } = world;
    tenant = await service.tenant();
    [own, other] = [await world.place(tenant, "Zichtbaar"), await world.place(tenant, "Verborgen")];
    hidden.push(at(other).companyId);
    await fill(at(own), []);
    await fill(at(other), hidden);
    const login = await makeLogin(service, tenant, [at(own).companyId]);
    const alone = await makeLogin(service, tenant, []);
    const { owner } = tenant;
    const unseen = [
      await owner.post("/contacts", { first_name: "Losstaand" }),
      await owner.post("/tasks", { title: "Losstaand" }),
      await owner.post("/invoicing/invoices", { company_id: at(own).companyId, reference: "Losstaand", lines: [] }),
      await owner.post("/tasks", { title: "Losstaand", company_id: at(own).companyId }),
    ].map(({ status, text, body }) => {
      if (status !== 201) throw new Error(`not made: ${status} ${text}`);
      return body.id as string;
    });
    hidden.push(alone.id, ...unseen);
    drafts = unseen.slice(2);
    const [contact = "", task = "", draft = "", internal = ""] = unseen;
    unseenBy = { contact_id: [contact], task_id: [task, internal], invoice_id: [draft] };
    for (const operation of reads()) prepared.set(operation.label, await world.rows(operation, at(own)));
    await service.sql.query(
      `insert into task_assignees (organisation_id, task_id, account_id) select organisation_id, id, $2 from tasks where organisation_id = $1
       on conflict do nothing`,
      [tenant.organisation.id, login.accountId],
    );
    await show();
    [client, empty] = await Promise.all(
      [login, alone].map(async ({ email }) => ({ cookie: (await signedIn(service, tenant, email)).cookie, host: tenant.host })),
    );
  });
  after(() => world.stop());

  const at = (place: Place | undefined) => place as Place;
  const as = (credential: Credential | undefined) => credential as Credential;
  const asOwner = () => keyOf(tenant.owner, tenant);

  /** Two rows of every kind that belongs to a client. */
  const fill = async (place: Place, ids: string[]) => {
    for (const { name, maker } of allMakers())
      if (maker.ofCompany && name !== "company_id") for (let n = 0; n < 2; n++) ids.push(await maker.make(place));
  };

  /** Shows clients the rows that staff decide about, except those that stay hidden; and restores rows that an operation moved. */
  const show = async () => {
    const { sql } = world.service;
    const values = [tenant.organisation.id, drafts];
    await sql.query(
      "update tasks set visible_to_client = true where organisation_id = $1 and id <> all($2) and not visible_to_client",
      values,
    );
    await sql.query(
      `update invoices set status = 'open', number = coalesce(number, 'V-' || left(id::text, 13))
        where organisation_id = $1 and status = 'draft' and id <> all($2)`,
      values,
    );
    await sql.query("delete from payment_intents where organisation_id = $1 and id = any($2)", [tenant.organisation.id, hidden]);
  };

  /** Whether a role with these grants may call it. */
  const mayCall = (grants: readonly string[], { permission, declared: { also = [] } }: Operation) =>
    [permission ?? [], also].flat().every((check) => holds(grants, check));
  const reachable = () =>
    world.operations.filter((one) => !isOpen(one) && !needsSession(one) && !one.path.startsWith("/fixture"));
  const reads = () => reachable().filter((one) => !isWrite(one) && one.declared.streams === undefined);
  const ofCompany = (operation: Operation) =>
    idParameters(operation).filter(({ name }) => makerOf(name, operation.path).ofCompany);
  const leakIn = (text: string): string | undefined =>
    ["verborgen", "losstaand", ...hidden].find((one) => text.toLowerCase().includes(one));
  const itemsOf = ({ body }: Answer): Record<string, unknown>[] | null =>
    Array.isArray(body) ? body : Array.isArray(body?.items) ? body.items : null;
  /** Every way to ask a read: each flag, each order, a search, and for the other client. In the first tier that client and one of the others. */
  const questions = (operation: Operation): Record<string, string>[] => {
    const plain = longestPage(operation);
    const asked = operation.query.flatMap(({ name, schema }) => {
      if (name === "sort") return sortKeys(operation).map((sort) => ({ sort }));
      if (name === "q") return [{ q: "verborgen" }, { q: "e" }];
      if (schema.format === "uuid" && makerOf(name, operation.path).ofCompany) return [{ [name]: at(other).companyId }];
      return schema.type === "boolean" && name !== "count" ? [{ [name]: "true" }] : [];
    });
    const isOfOther = (one: Record<string, string>) =>
      Object.values(one).some((value) => /verborgen/.test(value) || value === at(other).companyId);
    const others = asked.filter((one) => !isOfOther(one));
    const chosen = isWhole(operation) ? asked : [...asked.filter(isOfOther), ...inTurn(operation, others)];
    return [{}, ...chosen].map((one) => ({ ...plain, ...one }));
  };
  const ask = (operation: Operation, who: Credential | undefined, query = longestPage(operation)) =>
    world.call(operation, as(who), { rows: prepared.get(operation.label) as Rows, query });

  it("shows the login's own records, and nothing else, in each read the role allows", async () => {
    const wrong: string[] = [];
    for (const operation of reads().filter((one) => mayCall(granted, one))) {
      const { label } = operation;
      const whole = world.operations.find((one) => one.label === ROSTERED[label]) ?? operation;
      const [narrow, wide, none] = [await ask(operation, client), await ask(whole, asOwner()), await ask(operation, empty)];
      if (narrow.status !== (REFUSED[label] ?? 200)) wrong.push(`${label}: ${narrow.status} ${narrow.text.slice(0, 200)}`);
      if ((narrow.text !== none.text) === (NOTHING[label] !== undefined))
        wrong.push(
          `${label}: ${NOTHING[label] === undefined ? "shows nothing of theirs" : "does show something"}: ${narrow.text.slice(0, 120)}`,
        );
      const [some, all] = [itemsOf(narrow), itemsOf(wide)];
      if (!some || !all || NOTHING[label] !== undefined) continue;
      const idsOf = (items: Record<string, unknown>[]) => items.flatMap(({ id }) => (typeof id === "string" ? [id] : [])).join();
      const theirs = idsOf(all.filter((item) => leakIn(JSON.stringify(item)) === undefined));
      const [got, wanted] = [idsOf(some), theirs].map((ids) => (whole === operation ? ids : ids.split(",").toSorted().join()));
      if (got !== wanted) wrong.push(`${label}: shows ${got}; theirs are ${wanted}`);
      const { total } = narrow.body;
      if (total !== undefined && total !== some.length) wrong.push(`${label}: total ${total} of ${some.length}`);
    }
    expect(wrong.join("\n")).to.equal("");
  });

  it("names nothing of another's in any read, for any request, nor with every permission there is", async () => {
    await withEveryGrant(async () => {
      const wrong: string[] = [];
      let [shown, leaking] = [0, 0];
      for (const operation of reads()) {
        for (const query of questions(operation)) {
          const narrow = await ask(operation, client, query);
          const reported = narrow.status < 300 || narrow.status >= 500 ? leakIn(narrow.text) : undefined;
          const what = `${operation.label} ${JSON.stringify(query)}`;
          if (reported !== undefined) wrong.push(`${what}: leaks '${reported}': ${narrow.text.slice(0, 300)}`);
          if (narrow.status >= 500) wrong.push(`${what}: ${narrow.status}`);
          const { total } = narrow.body ?? {};
          if (typeof total === "number" && itemsOf(narrow) && total !== itemsOf(narrow)?.length && query["count"] === undefined)
            wrong.push(`${what}: total ${total} of ${itemsOf(narrow)?.length}`);
          if (narrow.status === 200) shown += 1;
        }
        if (leakIn((await ask(operation, asOwner())).text) !== undefined) leaking += 1;
      }
      expect(wrong.join("\n")).to.equal("");
      expect(shown, "reads that succeeded").to.be.greaterThan(200);
      expect(leaking, "reads in which the owner sees the other client").to.be.greaterThan(30);
    });
  });

  it("answers 404 to a row of another's exactly as to no row, and writes nothing, also with every permission there is", async () => {
    await withEveryGrant(async () => {
      const sent = new Map<Operation, { inside: Rows; outside: Rows; body: unknown }>();
      for (const operation of reachable().filter((one) => ofCompany(one).length > 0))
        sent.set(operation, {
          inside: await world.rows(operation, at(own)),
          outside: await world.rows(operation, at(other)),
          body: await world.body(operation, at(own)),
        });
      await show();
      const wrong: string[] = [];
      const ask404 = async (operation: Operation) => {
        const { inside, outside, body } = sent.get(operation) as { inside: Rows; outside: Rows; body: unknown };
        for (const { name } of ofCompany(operation)) {
          const at404 = (id: string) => world.call(operation, as(client), { rows: { ...inside, [name]: id }, body });
          const random = await at404(nobody());
          for (const id of [outside[name] as string, ...(unseenBy[name] ?? [])]) {
            const reported = difference(await at404(id), random);
            if (reported) wrong.push(`${operation.label} ${name}: differs from a missing row: ${reported}`);
          }
        }
      };
      const watched = async (operations: Iterable<Operation>) => {
        const written = await watchWrites(world.service, tenant.organisation.id);
        for (const operation of operations) await ask404(operation);
        return nothingBut(await written());
      };
      const changes = await watched(sent.keys());
      wrong.push(...changes);
      if (changes.length > 0)
        for (const operation of sent.keys())
          wrong.push(...(await watched([operation])).map((one) => `${operation.label}: ${one}`));
      expect(wrong.join("\n")).to.equal("");
    });
  });

  it("writes of its role reach its own records: with their rows they succeed, and a body that names another's equals one that names an unknown id", async () => {
    const wrong: string[] = [];
    let succeeded = 0;
    for (const operation of reachable().filter((one) => isWrite(one) && mayCall(granted, one))) {
      const { label } = operation;
      const rows = await world.rows(operation, at(own));
      const body = await world.body(operation, at(own));
      await show();
      const answer = await world.call(operation, as(client), { rows, body });
      if (answer.status < 300) succeeded += 1;
      else if (REFUSED[label] !== answer.status) wrong.push(`${label}: ${answer.status} ${answer.text.slice(0, 200)}`);
      for (const { name, place } of referencesOf(operation.body ?? {}).filter(
        (one) => makerOf(one.name, operation.path).ofCompany,
      )) {
        const id = name === "company_id" ? at(other).companyId : await makerOf(name, operation.path).make(at(other));
        const send = (value: string) => world.call(operation, as(client), { rows, body: replaced(body, place, value) });
        const reported = difference(await send(id), await send(nobody()));
        if (reported) wrong.push(`${label} ${place.join(".")}: differs from a missing row: ${reported}`);
      }
    }
    expect(wrong.join("\n")).to.equal("");
    expect(succeeded).to.be.greaterThan(5);
  });

  it("no answer changes, in counts and totals neither, when another client gets more", async () => {
    const asked = reads().filter((one) => mayCall(granted, one) && one.label !== STAFF);
    const answers = async () => {
      const all = new Map<string, string>();
      for (const operation of asked) all.set(operation.label, (await ask(operation, client)).text.replaceAll(MOVING, ""));
      return all;
    };
    const before = await answers();
    const totals = await ownersTotals(asked);
    await fill(at(other), hidden);
    await show();
    const changed = [...(await answers())]
      .filter(([label, text]) => text !== before.get(label))
      .map(([label, text]) => {
        const old = before.get(label) ?? "";
        const at = [...text].findIndex((letter, place) => letter !== old[place]);
        return `${label}: ${old.slice(at - 80, at + 80)} became ${text.slice(at - 80, at + 80)}`;
      });
    expect(changed.join("\n")).to.equal("");
    expect(await ownersTotals(asked), "the owner's do").not.to.deep.equal(totals);
  });

  const ownersTotals = async (asked: readonly Operation[]) => {
    const totals = [];
    for (const operation of asked) totals.push((await ask(operation, asOwner())).body?.total);
    return totals;
  };

  /** Gives the client role every permission a role can have meanwhile: more permissions never widen a client login's view (conventions §6). */
  const withEveryGrant = async (work: () => Promise<void>) => {
    const grant = (grants: readonly string[]) =>
      world.service.sql.query("update roles set permissions = $2 where organisation_id = $1 and key = 'client'", [
        tenant.organisation.id,
        grants,
      ]);
    await grant([...storedGrants()].filter((one) => !one.endsWith(":own")));
    try {
      await work();
    } finally {
      await grant(granted);
    }
  };
});
