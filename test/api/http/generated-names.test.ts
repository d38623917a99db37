import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";

interface Operation {
  operationId: string;
  tags: string[];
}
interface Document {
  tags: { name: string; "x-displayName"?: string }[];
  "x-tagGroups": { name: string; tags: string[] }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, { enum?: unknown[]; oneOf?: object[]; title?: string }> };
}

/** Names of types that most languages have already. */
const TAKEN = ["Error", "Map", "Date", "List", "Set", "Object", "String", "Number", "Function", "Record", "File"];
/** Keywords with values, not with parts of the document. */
const VALUES = new Set(["example", "examples", "default", "enum"]);

/** Every part of a document with its path. */
function* parts(value: unknown, at: string): Generator<[at: string, part: Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) if (!VALUES.has(key)) yield* parts(inner, `${at}/${key}`);
}

describe("the names that generators of clients use", () => {
  let service: TestService;
  let plain: Document;
  let codegen: Document;
  before(async () => {
    service = await sharedService();
    const { host } = await service.tenant();
    plain = (await service.call("GET", "//api/openapi.json", { host })).body;
    codegen = (await service.call("GET", "//api/openapi.json?for=codegen", { host })).body;
  });
  after(() => service.stop());

  it("are one for each enum of three values or more that occurs more than once", () => {
    const named = new Set<string>();
    for (const schema of Object.values(plain.components.schemas)) if (schema.enum) named.add(JSON.stringify(schema.enum));
    const isNamed = (at: string) => /^\/components\/schemas\/[^/]+$/.test(at);
    const found = new Map<string, string[]>();
    for (const [at, part] of parts(plain, "")) {
      const { enum: values } = part;
      if (!Array.isArray(values) || isNamed(at)) continue;
      const known = values.filter((one) => one !== null);
      if (known.length >= 3) found.set(JSON.stringify(known), [...(found.get(JSON.stringify(known)) ?? []), at]);
    }
    const repeated = [...found].filter(([values, places]) => places.length > 1 || named.has(values));
    expect(repeated).to.deep.equal([]);
    expect(named.size).to.be.greaterThan(60);
  });

  it("are no types that languages have already", () => {
    expect(Object.keys(plain.components.schemas).filter((name) => TAKEN.includes(name))).to.deep.equal([]);
  });

  it("of webhooks are apart from those of operations, by tag and by id", () => {
    const operations = Object.values(plain.paths).flatMap((item) => Object.values(item));
    const [tags, ids] = [operations.flatMap((one) => one.tags), operations.map((one) => one.operationId)].map(
      (all) => new Set(all),
    );
    const sent = Object.values(plain.webhooks).map(({ post }) => post);
    expect(sent.filter((one) => one.tags.some((tag) => tags?.has(tag)) || ids?.has(one.operationId))).to.deep.equal([]);
    expect(ids?.has("webhooksEndpointsList")).to.equal(true);
  });

  it("are those of every branch of a union of objects, in schemas and bodies of JSON", () => {
    const inline = [...parts(plain.components.schemas, "")].filter(([, { oneOf, anyOf }]) =>
      [oneOf, anyOf].flat().some((branch) => (branch as { type?: unknown } | undefined)?.type === "object"),
    );
    expect(inline.map(([at]) => at)).to.deep.equal([]);
  });

  it("tell the actions of a rule apart by their kind", () => {
    const { oneOf, discriminator } = codegen.components.schemas["ActionWrite"] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    expect(discriminator.propertyName).to.equal("action_type");
    expect(Object.values(discriminator.mapping)).to.deep.equal(oneOf.map(({ $ref }) => $ref));
    expect(discriminator.mapping).to.include({ "task.create": "#/components/schemas/TaskCreateActionWrite" });
  });

  it("of tags have a title for people, in groups of at most twelve", () => {
    expect(plain.tags.filter((tag) => tag["x-displayName"] === undefined)).to.deep.equal([]);
    expect(plain["x-tagGroups"].filter(({ tags }) => tags.length > 12)).to.deep.equal([]);
    const grouped = plain["x-tagGroups"].flatMap(({ tags }) => tags).sort();
    expect(grouped).to.deep.equal(plain.tags.map(({ name }) => name).sort());
  });

  it("are in a form of the document that has no keywords of ours for them", () => {
    const keywords = ["x-sort-keys", "x-enum", "x-comma-list", "x-discriminator"];
    const count = (document: Document) => {
      const own = [...parts(document, "")].filter(([, part]) => keywords.some((key) => key in part));
      return own.length;
    };
    expect(count(plain)).to.be.greaterThan(30);
    expect(count(codegen)).to.equal(0);
  });
});
