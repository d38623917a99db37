import http from "node:http";
import { expect } from "chai";
import { plain, replaced, type Schema, textsOf, wrongTexts, wrongValues } from "../../support/fixture/fixture-bodies.ts";
import { idParameters, isOpen, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { type Credential, partedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Answer } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";

const MIB = 1024 * 1024;
/** Texts of bodies that may have several lines, or whose characters the caller does not choose freely, by path and the end of their place. */
const SEVERAL_LINES =
  /[ .](notes?|intro|description_i18n[.]nl|templates[.]0[.]body|body|body_markdown)$|^[/](projects|tasks|time)\b.*[ .](description|due_change_reason)$|^[/]invoicing[/](invoices|quotes)\b.*[ .](message|description)$|^[/]invoicing[/]products\b.*[ .]description$|^[/]ai[/]\S+ (.*[.])?(content|text|house_style)$|^[/]ads-platform\b.*[ .](query|reason|steering|ad_copy_rules)$|^[/]invoicing[/]templates\b.*[ .](html|css|(intro|payment|footer)_i18n[.]nl)$|^[/]reporting[/].*[ .](description|instructions|custom_html|custom_css|intro_text|footer_text|business_context|goals|seo_focus|sea_focus|key_services|priority_pages|conversion_goals|scope_notes|avoid_topics)$/;
/** Texts that are compared and not stored, or that are checked later: of a rule's actions when they run, of a dry run's event never. */
const UNREAD =
  /(^|[.])((?:api_|current_)?password|token|challenge_token|code|secret|scopes[.]0|permissions[.]0|role_ids[.]0)$|^actions[.]0[.]config[.]|^payload[.]/;
/** Places within a field that is refused as one (marketing-ads §2.5). */
const OF_ONE_FIELD = /^layout[.]sources[.]/;
const CONTROLS = ["a\r\nb", "a\u001bb", "a\tb", "a\u007fb", "a\u0085b", "a\u2028b"];
const JSON_TYPE = { "Content-Type": "application/json" };

/** The fields that name a record. */
const NAMES = new Set(["name", "title", "label", "first_name", "display_name"]);

describe("every operation of the document: the input it refuses", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;

  before(async () => {
    world = await partedWorld();
    tenant = await world.service.tenant();
  });
  after(() => world.stop());

  const credential = async (operation: Operation): Promise<Credential> =>
    isOpen(operation) ? { host: tenant.host } : world.owner(operation, tenant);
  const mostOf = ({ declared }: Operation): number => declared.mostBody ?? MIB;
  const withBody = () => world.operations.filter(({ body }) => body !== null);
  const withJson = () => withBody().filter(({ mediaType }) => mediaType === "application/json");

  /** 422 that names the field. */
  const names = (answer: Answer, field: string, what: string): string[] => {
    const wrong = refusalOf(answer, 422, "validation", what);
    if (wrong.length > 0) return wrong;
    return typeof answer.body.error.fields?.[field] === "string" ? [] : [`${what}: '${field}' is not named in ${answer.text}`];
  };

  it("refuses JSON that cannot be read, with the envelope and never a 500", async () => {
    const unreadable: Record<string, [body: string | Buffer, field?: string]> = {
      "half an object": ['{"name":'],
      "a word": ["nonsense"],
      "invalid UTF-8": [Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
      "a raw NUL": [Buffer.from('{"name":"a\u0000b"}')],
      "an escaped NUL": ['{"name":"a\\u0000b"}', "name"],
      "a lone surrogate": ['{"name":"a\\ud800b"}', "name"],
      "a lone surrogate as key": ['{"\\udc00":1}'],
      "an array": ["[1,2,3]"],
      "a number": ["1"],
      "a text": ['"text"'],
      null: ["null"],
      nothing: [""],
    };
    const check = async (operation: Operation) => {
      const as = await credential(operation);
      const wrong: string[] = [];
      for (const [what, [body, field]] of Object.entries(unreadable)) {
        const answer = await world.call(operation, as, { body, headers: JSON_TYPE });
        wrong.push(...(field ? names(answer, field, what) : refusalOf(answer, 422, "validation", what)));
      }
      return wrong;
    };
    await prove("unreadable JSON 422", withJson(), check, "malformed");
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
      const status = (await streamed(operation, as)) ?? (await streamed(operation, as)) ?? (await streamed(operation, as));
      if (status !== 413) wrong.push(`one byte too many of unannounced length: expected 413, got ${status}`);
      return wrong;
    };
    await prove("wrong content type 415, too large 413", withBody(), check, "malformed");
  });

  /** Sends a body that is too large without saying how long it is; gives the status, or null when the server hung up first. */
  const streamed = (operation: Operation, { key, cookie, host = "" }: Credential): Promise<number | null> =>
    new Promise((resolve, reject) => {
      const headers = {
        Host: host,
        ...(key && { "X-API-Key": key }),
        ...(cookie && { Cookie: cookie }),
        "Content-Type": operation.mediaType,
      };
      const path = `/api/v1${operation.path.replace(/\{[a-z_]+\}/g, tenant.organisation.id)}`;
      const request = http.request({
        port: world.service.port,
        host: "127.0.0.1",
        method: operation.method,
        path,
        headers,
        agent: false,
      });
      request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
      request.on("error", (error: Error & { code?: string }) =>
        error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve(null) : reject(error),
      );
      request.write(Buffer.alloc(mostOf(operation), 0x20));
      request.end(" ");
    });

  /** The server may answer and hang up before all of a body that is too large was sent. */
  const brokenPipe = (error: Error & { code?: string }): null => {
    if (error.code === "EPIPE" || error.code === "ECONNRESET") return null;
    throw error;
  };

  it("refuses a value of the wrong type, form or length in every field and names the field", async () => {
    const check = async (operation: Operation) => {
      const { properties = {} } = plain(operation.body as Schema);
      if (Object.keys(properties).length === 0) return null;
      const as = await credential(operation);
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      for (const [field, schema] of Object.entries(properties))
        for (const value of wrongValues(schema)) {
          const answer = await world.call(operation, as, { rows, body: replaced(body, [field], value) });
          const element = Array.isArray(value) && plain(schema).type === "array";
          const what = `${field} = ${JSON.stringify(value).slice(0, 40)}`;
          wrong.push(...(element ? refusalOf(answer, 422, "validation", what) : names(answer, field, what)));
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
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      for (const { name, place: where } of texts) {
        const send = (text: string) => world.call(operation, as, { rows, body: replaced(body, where, text) });
        const reported = OF_ONE_FIELD.test(where.join(".")) ? String(where[0]) : name;
        if (SEVERAL_LINES.test(`${operation.path} ${where.join(".")}`)) {
          const { status, body: reported } = await send("first\r\n\tsecond");
          if (reported?.error?.fields?.[name])
            wrong.push(`${where.join(".")}: several lines are ${status} ${JSON.stringify(reported)}`);
        } else
          for (const text of CONTROLS)
            wrong.push(...names(await send(text), reported, `${where.join(".")} = ${JSON.stringify(text)}`));
      }
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
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      for (const field of texts)
        wrong.push(...names(await world.call(operation, as, { rows, body: replaced(body, [field], " \u00a0 ") }), field, field));
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
      const rows = await world.rows(operation, await world.place(tenant));
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
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      for (const { name } of parameters) {
        for (const id of ["1", "not-an-id", `${place.companyId}0`, "' or 1=1 --", "{}", "é"])
          wrong.push(...names(await world.call(operation, as, { rows: { ...rows, [name]: id }, body }), name, `${name} = ${id}`));
        for (const raw of ["%00", "%ff", "%ed%a0%80", "%"]) {
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
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      const isRedirect = [...operation.answers.keys()].some((status) => status >= 300 && status < 400);
      for (const { name, schema } of operation.query) {
        const long = schema.maxLength === undefined ? [] : ["x".repeat(schema.maxLength + 1)];
        for (const value of [...wrongTexts(schema), ...long])
          wrong.push(
            ...names(
              await world.call(operation, as, { rows, body, query: { [name]: value } }),
              name,
              `${name} = ${value.slice(0, 40)}`,
            ),
          );
        const nul = await world.call(operation, as, { rows, body, query: { [name]: "a\u0000b" } });
        // An action that always redirects takes a text that nothing can store as absent.
        const isAbsent = isRedirect && schema.type === "string" && nul.status !== 422 && nul.status < 500;
        if (!isAbsent) wrong.push(...names(nul, name, `${name} with NUL`));
        const path = operation.path.replace(/\{([a-z_]+)\}/g, (_, other: string) => rows[other] as string);
        for (const raw of ["%ff", "%ed%a0%80", "%", "%zz"]) {
          const { status, text } = await world.service.call(operation.method, `${path}?${name}=${raw}`, { ...as, body });
          if (status >= 500) wrong.push(`${name} = ${raw}: ${status} ${text}`);
        }
      }
      if (operation.query.some(({ name }) => name === "sort"))
        for (const sort of ["no_such_key", "--name", "name;drop", "NAME", "t.name"])
          wrong.push(
            ...refusalOf(await world.call(operation, as, { rows, query: { sort } }), 400, "invalid_sort", `sort = ${sort}`),
          );
      return wrong;
    };
    await prove("invalid query values 422", world.operations, check, "malformed");
  });

  it("takes updated_since on every list of stored rows (conventions §10)", async () => {
    // Lists of computed or built-in entries, not of rows.
    const computed = [
      "GET /companies/{company_id}/panels",
      "GET /companies/{company_id}/summary",
      "GET /custom-fields/entity-types",
      "GET /invoicing/providers",
      "GET /leave/availability/days",
      "GET /leave/balance",
      "GET /leave/balance/groups",
      "GET /projects/dashboard-budgets",
      "GET /reporting/templates/sections",
      "GET /settings/email/templates",
      "GET /tasks/dashboard-groups",
      "GET /uptime/links/proposals",
      "GET /webhooks/events",
      "GET /workspace/calendar/events",
    ];
    const isList = (schema: Schema) => {
      const { type, properties = {} } = plain(schema);
      return type === "array" || ("items" in properties && "total" in properties);
    };
    const lists = world.operations.filter(({ method, answers }) => method === "GET" && isList(answers.get(200) ?? {}));
    const without = lists.filter(({ query }) => !query.some(({ name }) => name === "updated_since"));
    // Each part of the file has its share of the operations.
    const shared = new Set(world.operations.map(({ label }) => label));
    expect(without.map(({ label }) => label).sort()).to.deep.equal(computed.filter((label) => shared.has(label)));
  });

  it("reads an instant of every offset there is, also those PostgreSQL does not know", async () => {
    const isInstant = (schema: Schema) => plain(schema).format === "date-time";
    const far = (sign: string) => `2027-03-02T09:30:00${sign}`;
    const check = async (operation: Operation) => {
      const asked = operation.query.filter(({ schema }) => isInstant(schema));
      const sent = Object.entries(plain(operation.body ?? {}).properties ?? {}).filter(([, schema]) => isInstant(schema));
      if (asked.length + sent.length === 0) return null;
      const as = await credential(operation);
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const wrong: string[] = [];
      for (const instant of [far("+16:00"), far("-23:59"), far("+23:59")]) {
        for (const { name } of asked) {
          const { status, text } = await world.call(operation, as, { rows, body, query: { [name]: instant } });
          if (status !== 200) wrong.push(`${name} = ${instant}: ${status} ${text}`);
        }
        for (const [field] of sent) {
          const { status, text } = await world.call(operation, as, { rows, body: replaced(body, [field], instant) });
          if (status >= 500) wrong.push(`${field} = ${instant}: ${status} ${text}`);
        }
      }
      return wrong;
    };
    await prove("instants of every offset are read", world.operations, check);
  });

  it("ignores organisation, id, times and author in a body", async () => {
    const check = async (operation: Operation) => {
      if (operation.method !== "POST" || isOpen(operation)) return null;
      const other = await world.service.tenant();
      const place = await world.place(tenant);
      const body = (await world.body(operation, place)) as object;
      const foreign = { id: other.organisation.id, org_id: other.organisation.id, organisation_id: other.organisation.id };
      const past = {
        created_at: "2001-01-01T00:00:00Z",
        updated_at: "2001-01-01T00:00:00Z",
        created_by: other.owner.accountId,
        version: 99,
      };
      const sent = { ...body, ...foreign, ...past };
      const answer = await world.call(operation, await credential(operation), {
        rows: await world.rows(operation, place),
        body: sent,
      });
      if (answer.status >= 300) return [`expected a success, got ${answer.status} ${answer.text}`];
      const reported = [other.organisation.id, "2001-01-01", other.owner.accountId].filter((value) =>
        answer.text.includes(value),
      );
      return reported.map((value) => `took '${value}' from the body`);
    };
    await prove("organisation, id and times in a body are ignored", withJson(), check, "malformed");
  });
});
