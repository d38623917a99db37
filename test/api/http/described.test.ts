import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Operation {
  parameters?: { $ref?: string; in: string; name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The paths of properties without a description; named parts are looked at under their own name. */
function undescribed(schema: Schema | undefined, path = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [...(part.description ? [] : [here]), ...undescribed(part, here)];
  });
  const parts = [
    schema.items,
    schema.additionalProperties,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ];
  return [...own, ...parts.flatMap((part) => (typeof part === "object" ? undescribed(part, path) : []))];
}

describe("every field of the reference", () => {
  let service: TestService;
  let read: (name: string) => Promise<unknown>;
  before(async () => {
    service = await sharedService();
    const { host } = await service.tenant();
    read = async (name) => (await service.call("GET", `//api/${name}.json`, { host })).body;
  });
  after(() => service.stop());

  /** Schemas with undescribed fields, with those fields. */
  const missing = (found: [name: string, fields: string[]][]): string[] =>
    found.flatMap(([name, fields]) => (fields.length === 0 ? [] : [`${name}: ${fields.join(", ")}`]));

  it("of a schema, a body and an answer has a description", async () => {
    const { components, paths } = (await read("openapi")) as {
      components: { schemas: Record<string, Schema> };
      paths: Record<string, Record<string, Operation>>;
    };
    const named = Object.entries(components.schemas).map(([name, schema]): [string, string[]] => [name, undescribed(schema)]);
    const inline = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { requestBody, responses }]): [string, string[]][] => {
        const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)];
        const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
        return [[`${method.toUpperCase()} ${path}`, schemas.flatMap((schema) => undescribed(schema))]];
      }),
    );
    expect(named.length).to.be.greaterThan(300);
    expect(missing([...named, ...inline])).to.deep.equal([]);
  });

  it("of a path and a query has a description", async () => {
    const { paths } = (await read("openapi")) as { paths: Record<string, Record<string, Operation>> };
    const found = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters = [] }]) =>
        parameters.flatMap(({ $ref, in: place, name, description, schema }): [string, string[]][] =>
          $ref || description || schema.description ? [] : [[`${place} ${name}`, [`${method.toUpperCase()} ${path}`]]],
        ),
      ),
    );
    expect(missing(found)).to.deep.equal([]);
  });

  it("of an event has a description", async () => {
    const { events } = (await read("events")) as { events: Record<string, Schema> };
    const found = Object.entries(events).map(([name, event]): [string, string[]] => [`event ${name}`, undescribed(event)]);
    expect(missing(found)).to.deep.equal([]);
  });
});
