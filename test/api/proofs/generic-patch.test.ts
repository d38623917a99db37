import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { isNullable, plain, type Schema } from "../../support/fixture/fixture-bodies.ts";
import { longestPage, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove } from "../../support/fixture/fixture-proof.ts";
import { inTurn } from "../../support/fixture/fixture-turns.ts";
import { type Credential, partedWorld, type Rows, type World } from "../../support/fixture/fixture-world.ts";

type Row = Record<string, unknown>;

/** Input keys that a rule derives from another one of the same body, by operation and the key that was sent, with the rule. */
const DERIVED: Record<string, Record<string, { keys: string[]; rule: string }>> = {
  "PATCH /companies/{company_id}": {
    responsible_user_id: { keys: ["assignees"], rule: "clients §3: the responsible person leads the roster" },
    assignees: { keys: ["responsible_user_id"], rule: "clients §3: the first of the roster is responsible" },
  },
  "PATCH /contacts/{contact_id}/links/{company_id}": {
    contact_type_id: { keys: ["is_primary"], rule: "clients §4.3: without is_primary the link is demoted" },
  },
  "PATCH /interactions/{interaction_id}": {
    task_id: { keys: ["project_id"], rule: "workspace and reporting §3: a moment on a task takes the task's project" },
    contact_ids: { keys: ["contact_id"], rule: "workspace and reporting §3: the first contact leads" },
  },
  "PATCH /invoicing/invoices/{invoice_id}": {
    contact_id: { keys: ["customer"], rule: "money §2: a draft is addressed to its contact" },
  },
  "PATCH /projects/{project_id}": {
    responsible_user_id: { keys: ["assignees"], rule: "work §2: the responsible person leads the roster" },
    assignees: { keys: ["responsible_user_id"], rule: "work §2: the first of the roster is responsible" },
  },
  "PATCH /time/entries/{entry_id}": {
    minutes: { keys: ["ended_at"], rule: "work §4.1: an entry ends where its minutes say" },
    task_id: { keys: ["project_id", "company_id", "billable"], rule: "work §4.1: a task brings its project and client" },
    project_id: { keys: ["company_id", "billable"], rule: "work §4.1: a project brings its client and whether it is billed" },
  },
  "PATCH /users/{id}": {
    email: { keys: ["is_verified"], rule: "access §3: a new address is not proven yet" },
  },
};

/** Where an answer shows the row that is changed, if not as a whole. */
const SHOWN_IN: Record<string, string> = { "PATCH /workspace/connections/me": "connection" };

/** Names under which rows are known in answers. */
const IDS = ["id", "membership_id", "company_id", "user_id", "campaign_id", "ad_group_id"];

/** Operations whose row no read shows under the keys of the input, each with the test that proves the same. */
const UNREAD: Record<string, string> = {
  "PATCH /ads-platform/accounts/{account_id}/ads": "every key but validate_only is required",
  "PATCH /ads-platform/accounts/{account_id}/keywords": "writes-rules.test.ts: the update mask names the keys of the body alone",
};

describe("every PATCH of the document: a key that is not sent stays as it is (conventions §9)", function () {
  this.timeout(180_000);
  let world: World;
  before(async () => {
    world = await partedWorld();
  });
  after(() => world.stop());

  const patches = () => world.operations.filter(({ method, body }) => method === "PATCH" && body !== null);
  const operationAt = (path: string): Operation | undefined =>
    world.operations.find((operation) => operation.method === "GET" && operation.path === path);

  /** The object with this id, anywhere in an answer. */
  const within = (value: unknown, id: string): Row | null => {
    if (typeof value !== "object" || value === null) return null;
    if (!Array.isArray(value) && IDS.some((name) => (value as Row)[name] === id)) return value as Row;
    for (const part of Object.values(value)) {
      const found = within(part, id);
      if (found) return found;
    }
    return null;
  };

  /** The row of a PATCH as the API reads it: by its own path, else in the list or the record that it belongs to. Null where nothing does. */
  const readRow = async ({ path }: Operation, as: Credential, rows: Rows): Promise<Row | null> => {
    const [, name] = /\{([a-z_]+)\}[^{}]*$/.exec(path) ?? [];
    for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const read = operationAt(at);
      if (!read) continue;
      const { status, body } = await world.call(read, as, { rows, query: longestPage(read) });
      if (status !== 200) continue;
      if (at === path) return body as Row;
      const found = name === undefined ? null : within(body, rows[name] as string);
      if (found) return found;
    }
    return null;
  };

  /** A value that a key of this schema may have and that its default is not; a default that acts would be seen by it. */
  const beside = (schema: Schema, value: unknown): unknown => {
    if (schema.default === undefined || !isDeepStrictEqual(schema.default, value)) return value;
    const one = plain(schema);
    if (one.type === "boolean") return !value;
    if (one.type === "integer") return (value as number) + 60;
    if (one.enum) return one.enum.find((other) => other !== value && other !== null) ?? value;
    return isNullable(schema) ? null : value;
  };

  it("leaves every other input key of the row alone, except those derived by a rule", async () => {
    const unread: string[] = [];
    const check = async (operation: Operation) => {
      const { properties = {}, required = [] } = plain(operation.body as Schema);
      const keys = Object.keys(properties);
      if (keys.length < 2) return null;
      const tenant = await world.service.tenant();
      const place = await world.place(tenant);
      const [as, rows] = [await world.owner(operation, tenant), await world.rows(operation, place)];
      const sample = async () => (await world.body(operation, await world.place(tenant))) as Row;
      const moved = Object.fromEntries(
        Object.entries(await sample()).map(([key, value]) => [key, beside(properties[key] ?? {}, value)]),
      );
      const filled = await world.call(operation, as, { rows, body: moved });
      if (filled.status >= 300) return [`the row cannot be filled: ${filled.status} ${filled.text}`];
      const wrong: string[] = [];
      const shown = (row: Row): Row => (row[SHOWN_IN[operation.label] ?? ""] as Row | undefined) ?? row;
      const state = async (answered: unknown) => shown((await readRow(operation, as, rows)) ?? (answered as Row));
      let before = await state(filled.body);
      if (!keys.some((key) => key in (before ?? {}))) {
        unread.push(operation.label);
        return null;
      }
      const other = await sample();
      const needed = Object.fromEntries(required.map((key) => [key, before[key] ?? moved[key]]));
      const optional = keys.filter((key) => !required.includes(key) && other[key] !== undefined);
      for (const key of inTurn(operation, optional, 2)) {
        const answer = await world.call(operation, as, { rows, body: { ...needed, [key]: other[key] } });
        if (answer.status >= 500) wrong.push(`${key}: ${answer.status} ${answer.text}`);
        const after = answer.status < 300 ? await state(answer.body) : await state(before);
        const derived = DERIVED[operation.label]?.[key]?.keys ?? [];
        for (const kept of keys)
          if (kept !== key && kept in before && !derived.includes(kept) && !isDeepStrictEqual(before[kept], after[kept]))
            wrong.push(
              `${key} alone (${answer.status}) changes ${kept}: ${JSON.stringify(before[kept])} to ${JSON.stringify(after[kept])}`,
            );
        before = after;
      }
      return wrong;
    };
    await prove("a PATCH of one key leaves the others", patches(), check);
    const unnamed = unread.filter((label) => UNREAD[label] === undefined);
    expect(unnamed, "operations whose row shows no input key").to.deep.equal([]);
  });
});
