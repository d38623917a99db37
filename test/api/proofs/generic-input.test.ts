import { expect } from "chai";
import { plain, replaced, type Schema, textsOf, wrongTexts, wrongValues } from "../../support/fixture/fixture-bodies.ts";
import {
  COMPUTED_LISTS,
  CONTROLS,
  NAMES,
  namedTogether,
  OF_ONE_FIELD,
  refusalNaming,
  SEVERAL_LINES,
  UNREAD,
  UNREADABLE,
} from "../../support/fixture/fixture-inputs.ts";
import { idParameters, isOpen, isWrite, needsSession, type Operation } from "../../support/fixture/fixture-operations.ts";
import { brokenPipe, mostOf, streamed } from "../../support/fixture/fixture-oversized.ts";
import { prove, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { nobody } from "../../support/fixture/fixture-tools.ts";
import { type Change, inTurn, isWhole, oneOf, oneOfEach, together } from "../../support/fixture/fixture-turns.ts";
import { type Credential, partedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Tenant } from "../../support/service.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

/** A free text of a body. */
type Text = ReturnType<typeof textsOf>[number];

describe("every operation of the document: the input it refuses", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;

  before(async () => {
    world = await partedWorld();
    tenant = await world.refusing();
  });
  after(() => world.stop());

  const credential = async (operation: Operation): Promise<Credential> =>
    isOpen(operation) ? { host: tenant.host } : world.lastingOwner(operation, tenant);
  const withBody = () => world.operations.filter(({ body }) => body !== null);
  const withJson = () => withBody().filter(({ mediaType }) => mediaType === "application/json");

  /** Operations whose bodies are read in the same way. */
  const kindOf = (operation: Operation): string =>
    [operation.mediaType, mostOf(operation), isOpen(operation) ? "open" : needsSession(operation) ? "session" : "key"].join();

  it("refuses JSON that cannot be read, with the envelope and never a 500", async () => {
    const check = async (operation: Operation) => {
      const as = await credential(operation);
      const wrong: string[] = [];
      for (const [what, [body, field]] of Object.entries(UNREADABLE)) {
        const answer = await world.call(operation, as, { body, headers: JSON_TYPE });
        wrong.push(...(field ? refusalNaming(answer, field, what) : refusalOf(answer, 422, "validation", what)));
      }
      return wrong;
    };
    await prove("unreadable JSON 422", oneOfEach(withJson(), kindOf), check, "malformed");
  });

  it("refuses another content type with 415 and a body over 1 MiB, or over the action's own limit, with 413", async () => {
    const check = async (operation: Operation) => {
      const as = await credential(operation);
      const body = operation.mediaType === "application/json" ? "{}" : "a=b";
      const wrong: string[] = [];
      for (const type of [
        "text/plain",
        "application/xml",
        "",
        operation.mediaType === "application/json" ? "application/x-www-form-urlencoded" : "application/json",
      ])
        wrong.push(
          ...refusalOf(
            await world.call(operation, as, { body, headers: { "Content-Type": type } }),
            415,
            undefined,
            `type '${type}'`,
          ),
        );
      // Files have a limit of their own (uploads.test.ts).
      if (operation.mediaType === "multipart/form-data") return wrong;
      const large = Buffer.alloc(mostOf(operation) + 1, 0x20);
      const send = () =>
        world.call(operation, as, { body: large, headers: { "Content-Type": operation.mediaType } }).catch(brokenPipe);
      const answer = (await send()) ?? (await send()) ?? (await send());
      wrong.push(...(answer ? refusalOf(answer, 413, "validation", "one byte too many") : ["one byte too many: no answer"]));
      const status =
        (await streamed(world.service.port, operation, as)) ??
        (await streamed(world.service.port, operation, as)) ??
        (await streamed(world.service.port, operation, as));
      if (status !== 413) wrong.push(`one byte too many of unannounced length: expected 413, got ${status}`);
      return wrong;
    };
    await prove("wrong content type 415, too large 413", oneOfEach(withBody(), kindOf), check, "malformed");
  });

  it("refuses a value of the wrong type, form or length in every field and names the field", async () => {
    const check = async (operation: Operation) => {
      const { properties = {} } = plain(operation.body as Schema);
      if (Object.keys(properties).length === 0) return null;
      const as = await credential(operation);
      const { rows, body } = await world.prepared(operation, tenant);
      if (!isWhole(operation)) {
        const fields = Object.entries(properties).map(([name, schema]) => {
          const isElement = (value: unknown) => Array.isArray(value) && plain(schema).type === "array";
          return { name, variants: wrongValues(schema).filter((value) => !isElement(value)) };
        });
        const bodyOf = (changes: readonly Change<unknown>[]) =>
          changes.reduce((changed, { name, variant }) => replaced(changed, [name], variant), body);
        const send = (changes: readonly Change<unknown>[]) => world.call(operation, as, { rows, body: bodyOf(changes) });
        return namedTogether(together(operation, fields, 2), send);
      }
      const wrong: string[] = [];
      for (const [field, schema] of Object.entries(properties))
        for (const value of wrongValues(schema)) {
          const answer = await world.call(operation, as, { rows, body: replaced(body, [field], value) });
          const element = Array.isArray(value) && plain(schema).type === "array";
          const what = `${field} = ${JSON.stringify(value).slice(0, 40)}`;
          wrong.push(...(element ? refusalOf(answer, 422, "validation", what) : refusalNaming(answer, field, what)));
        }
      return wrong;
    };
    await prove("wrong types in a body 422", withJson(), check, "malformed");
  });

  it("refuses control characters in every text of one line and names the field; accepts several lines where they belong", async () => {
    const check = async (operation: Operation) => {
      const texts = textsOf(operation.body as Schema).filter(({ place }) => !UNREAD.test(place.join(".")));
      if (texts.length === 0) return null;
      const as = await credential(operation);
      let { rows, body } = await world.prepared(operation, tenant);
      const isLong = ({ place }: Text) => SEVERAL_LINES.test(`${operation.path} ${place.join(".")}`);
      const reportedOf = ({ name, place }: Text) => (OF_ONE_FIELD.test(place.join(".")) ? String(place[0]) : name);
      const withTexts = (changes: readonly { text: Text; value: string }[]) =>
        changes.reduce((changed, { text, value }) => replaced(changed, text.place, value), body);
      const [long, short] = [texts.filter(isLong), texts.filter((text) => !isLong(text))];
      const lines = long.map((text) => ({ text, value: "first\r\n\tsecond" }));
      const wrong: string[] = [];
      const send = async (changes: typeof lines) => {
        const answer = await world.call(operation, as, { rows, body: withTexts(changes) });
        if (answer.status < 300) ({ rows, body } = await world.renewed(operation, tenant));
        const { error } = answer.body ?? {};
        for (const { text, value } of changes)
          if (lines.some((line) => line.value === value) && error?.fields?.[text.name])
            wrong.push(`${text.place.join(".")}: several lines are ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer;
      };
      if (isWhole(operation)) for (const line of lines) await send([line]);
      else if (lines.length > 0) await send(lines);
      const byPlace = new Map(short.map((text) => [text.place.join("."), text]));
      const textOf = ({ name }: Change<string>) => byPlace.get(name) as Text;
      const fields = [...byPlace.keys()].map((name) => ({ name, variants: CONTROLS }));
      const requests = isWhole(operation)
        ? fields.flatMap(({ name }) => CONTROLS.map((variant) => [{ name, variant }]))
        : together(operation, fields);
      wrong.push(
        ...(await namedTogether(
          requests,
          (changes) => send(changes.map((change) => ({ text: textOf(change), value: change.variant }))),
          (change) => reportedOf(textOf(change)),
        )),
      );
      return wrong;
    };
    await prove("control characters in one line 422", withJson(), check, "malformed");
  });

  it("refuses a required name or title of blanks and names the field", async () => {
    const check = async (operation: Operation) => {
      const { properties = {}, required = [] } = plain(operation.body as Schema);
      const texts = required.filter((field) => NAMES.has(field) && plain(properties[field] as Schema).type === "string");
      if (texts.length === 0) return null;
      const as = await credential(operation);
      const { rows, body } = await world.prepared(operation, tenant);
      const wrong: string[] = [];
      for (const field of texts)
        wrong.push(
          ...refusalNaming(await world.call(operation, as, { rows, body: replaced(body, [field], " \u00a0 ") }), field, field),
        );
      return wrong;
    };
    await prove("blank names 422", withJson(), check, "malformed");
  });

  it("names every required field that is missing, all at once", async () => {
    const check = async (operation: Operation) => {
      const { required = [] } = plain(operation.body as Schema);
      if (required.length === 0) return null;
      const answer = await world.call(operation, await credential(operation), {
        body: operation.mediaType === "application/x-www-form-urlencoded" ? "a=b" : {},
      });
      return required.flatMap((field) =>
        answer.body?.error?.fields?.[field] === "errors.required"
          ? []
          : [`'${field}' is not named: ${answer.status} ${answer.text}`],
      );
    };
    await prove("missing fields 422", withBody(), check, "malformed");
  });

  it("refuses an unknown query parameter of every list and names the nearest, but takes the caller's own that begin with `_`", async () => {
    const isList = (schema: Schema) =>
      schema.type === "array" || ("items" in (schema.properties ?? {}) && "total" in (schema.properties ?? {}));
    const lists = world.operations.filter(({ method, answers }) => {
      const schema = answers.get(200);
      return method === "GET" && schema && isList(plain(schema));
    });
    const check = async (operation: Operation) => {
      const as = await credential(operation);
      const { rows } = await world.prepared(operation, tenant);
      const path = operation.path.replace(/\{([a-z_]+)\}/g, (_, name: string) => rows[name] as string);
      const [first] = operation.query;
      const name = first ? `${first.name}x` : "x";
      const answer = await world.service.call("GET", `${path}?${name}=1&_x=1`, as);
      const { fields = {}, details = {} } = answer.body?.error ?? {};
      const wrong = refusalOf(answer, 422, "validation", name);
      if (fields[name] !== "errors.unknown_parameter" || "_x" in fields) wrong.push(`${name}: ${answer.text}`);
      if (first && details[name] !== first.name) wrong.push(`${name} has another neighbour: ${answer.text}`);
      return wrong;
    };
    await prove("unknown query parameters of lists 422", lists, check, "malformed");
  });

  it("refuses an invalid path id with 422 on that parameter, and bytes that are not text", async () => {
    const check = async (operation: Operation) => {
      const parameters = idParameters(operation);
      if (parameters.length === 0) return null;
      const as = await credential(operation);
      const { rows, body } = await world.prepared(operation, tenant);
      const wrong: string[] = [];
      for (const { name } of parameters) {
        for (const id of inTurn(operation, ["1", "not-an-id", `${nobody()}0`, "' or 1=1 --", "{}", "é"]))
          wrong.push(
            ...refusalNaming(await world.call(operation, as, { rows: { ...rows, [name]: id }, body }), name, `${name} = ${id}`),
          );
        for (const raw of inTurn(operation, ["%00", "%ff", "%ed%a0%80", "%"])) {
          const path = operation.path
            .replace(`{${name}}`, raw)
            .replace(/\{([a-z_]+)\}/g, (_, other: string) => rows[other] as string);
          const answer = await world.service.call(operation.method, path, { ...as, body });
          wrong.push(...refusalOf(answer, [404, 422], undefined, `${name} = ${raw}`));
        }
      }
      return wrong;
    };
    await prove("invalid path ids 422", world.operations, check, "malformed");
  });

  it("refuses an invalid query value by name, and never fails on bytes that are not text", async () => {
    const check = async (operation: Operation) => {
      if (operation.query.length === 0) return null;
      const as = await credential(operation);
      let { rows, body } = await world.prepared(operation, tenant);
      const wrong: string[] = [];
      const isRedirect = [...operation.answers.keys()].some((status) => status >= 300 && status < 400);
      const send = (query: Record<string, string>) => world.call(operation, as, { rows, body, query });
      const fields = operation.query.map(({ name, schema }) => {
        const long = schema.maxLength === undefined ? [] : ["x".repeat(schema.maxLength + 1)];
        return { name, variants: [...wrongTexts(schema), ...long] };
      });
      const requests = isWhole(operation)
        ? fields.flatMap(({ name, variants }) => variants.map((variant) => [{ name, variant }]))
        : together(operation, fields);
      const queryOf = (changes: readonly Change<string>[]) =>
        Object.fromEntries(changes.map(({ name, variant }) => [name, variant]));
      wrong.push(...(await namedTogether(requests, (changes) => send(queryOf(changes)))));
      // An action that always redirects takes a text that nothing can store as absent.
      const [absent, stored] = [
        operation.query.filter(({ schema }) => isRedirect && schema.type === "string"),
        operation.query.filter(({ schema }) => !isRedirect || schema.type !== "string"),
      ].map((all) => all.map(({ name }) => ({ name, variant: "a\u0000b" })));
      for (const nul of absent ?? []) {
        const answer = await send(queryOf([nul]));
        if (answer.status === 422 || answer.status >= 500) wrong.push(...refusalNaming(answer, nul.name, `${nul.name} with NUL`));
      }
      const nuls = isWhole(operation) ? (stored ?? []).map((nul) => [nul]) : [stored ?? []];
      wrong.push(...(await namedTogether(nuls, (changes) => send(queryOf(changes)))));
      const path = operation.path.replace(/\{([a-z_]+)\}/g, (_, other: string) => rows[other] as string);
      const bytes = operation.query.flatMap(({ name }) => ["%ff", "%ed%a0%80", "%", "%zz"].map((raw) => `${name}=${raw}`));
      for (const raw of inTurn(operation, bytes)) {
        const { status, text } = await world.service.call(operation.method, `${path}?${raw}`, { ...as, body });
        if (status >= 500) wrong.push(`${raw}: ${status} ${text}`);
        if (status < 300 && isWrite(operation)) ({ rows, body } = await world.renewed(operation, tenant));
      }
      if (operation.query.some(({ name }) => name === "sort"))
        for (const sort of inTurn(operation, ["no_such_key", "--name", "name;drop", "NAME", "t.name"]))
          wrong.push(
            ...refusalOf(await world.call(operation, as, { rows, query: { sort } }), 400, "invalid_sort", `sort = ${sort}`),
          );
      return wrong;
    };
    await prove("invalid query values 422", world.operations, check, "malformed");
  });

  it("takes updated_since on every list of stored rows (conventions §10)", async () => {
    const isList = (schema: Schema) => {
      const { type, properties = {} } = plain(schema);
      return type === "array" || ("items" in properties && "total" in properties);
    };
    const lists = world.operations.filter(({ method, answers }) => method === "GET" && isList(answers.get(200) ?? {}));
    const without = lists.filter(({ query }) => !query.some(({ name }) => name === "updated_since"));
    // Each part of the file has its share of the operations.
    const shared = new Set(world.operations.map(({ label }) => label));
    expect(without.map(({ label }) => label).sort()).to.deep.equal(COMPUTED_LISTS.filter((label) => shared.has(label)));
  });

  it("reads an instant of every offset there is, also those PostgreSQL does not know", async () => {
    const isInstant = (schema: Schema) => plain(schema).format === "date-time";
    const far = (sign: string) => `2027-03-02T09:30:00${sign}`;
    const check = async (operation: Operation) => {
      const asked = operation.query.filter(({ schema }) => isInstant(schema));
      const sent = Object.entries(plain(operation.body ?? {}).properties ?? {}).filter(([, schema]) => isInstant(schema));
      if (asked.length + sent.length === 0) return null;
      const as = await credential(operation);
      let { rows, body } = await world.prepared(operation, tenant);
      const wrong: string[] = [];
      for (const instant of inTurn(operation, [far("+16:00"), far("-23:59"), far("+23:59")])) {
        for (const { name } of asked) {
          const { status, text } = await world.call(operation, as, { rows, body, query: { [name]: instant } });
          if (status !== 200) wrong.push(`${name} = ${instant}: ${status} ${text}`);
        }
        for (const [field] of sent) {
          const { status, text } = await world.call(operation, as, { rows, body: replaced(body, [field], instant) });
          if (status >= 500) wrong.push(`${field} = ${instant}: ${status} ${text}`);
          if (status < 300) ({ rows, body } = await world.renewed(operation, tenant));
        }
      }
      return wrong;
    };
    await prove("instants of every offset are read", world.operations, check);
  });

  it("ignores organisation, id, times and author in a body", async () => {
    const other = await world.service.tenant();
    const mine = await world.service.tenant();
    const check = async (operation: Operation) => {
      if (operation.method !== "POST" || isOpen(operation)) return null;
      const place = await world.place(mine);
      const body = (await world.body(operation, place)) as object;
      const foreign = { id: other.organisation.id, org_id: other.organisation.id, organisation_id: other.organisation.id };
      const past = {
        created_at: "2001-01-01T00:00:00Z",
        updated_at: "2001-01-01T00:00:00Z",
        created_by: other.owner.accountId,
        version: 99,
      };
      const sent = { ...body, ...foreign, ...past };
      const answer = await world.call(operation, await world.owner(operation, mine), {
        rows: await world.rows(operation, place),
        body: sent,
      });
      if (answer.status >= 300) return [`expected a success, got ${answer.status} ${answer.text}`];
      const reported = [other.organisation.id, "2001-01-01", other.owner.accountId].filter((value) =>
        answer.text.includes(value),
      );
      return reported.map((value) => `took '${value}' from the body`);
    };
    await prove("organisation, id and times in a body are ignored", oneOf(3, withJson()), check, "malformed");
  });
});
