import { expect } from "chai";
import { UNKNOWN_TEXT } from "../../../services/api/openapi/openapi-examples.ts";
import { sharedService, type TestService } from "../../support/service.ts";

interface Content {
  example?: unknown;
}
interface Operation {
  parameters?: { $ref?: string; name: string; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

const words = (text: string) => text.toLowerCase().replaceAll("_", " ");

/** The texts of an example that say no more than the name of their field, or that nothing is known for it. */
function empty(value: unknown, name: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => empty(one, name));
  if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([key, part]) => empty(part, key));
  if (typeof value !== "string") return [];
  const names = [name, name.replace(/s$/, ""), name.replace(/es$/, "")].map(words);
  return value === UNKNOWN_TEXT || names.includes(words(value)) ? [`${name}: ${value}`] : [];
}

describe("examples of the reference", () => {
  let service: TestService;
  let operations: [place: string, operation: Operation][];
  before(async () => {
    service = await sharedService();
    const { host } = await service.tenant();
    const { paths } = (await service.call("GET", "//api/openapi.json", { host })).body as {
      paths: Record<string, Record<string, Operation>>;
    };
    operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
    );
  });
  after(() => service.stop());

  it("exist for every parameter of a path and a query", () => {
    const bare = operations.flatMap(([place, { parameters = [] }]) =>
      parameters.flatMap(({ $ref, name, example }) => ($ref || example !== undefined ? [] : [`${place} ${name}`])),
    );
    expect(operations.length).to.be.greaterThan(500);
    expect(bare).to.deep.equal([]);
  });

  it("say more than the name of their field", () => {
    const found = operations.flatMap(([place, { parameters = [], requestBody, responses }]) => {
      const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)];
      const examples = contents.flatMap((content) => Object.values(content).flatMap(({ example }) => empty(example, "")));
      return [...examples, ...parameters.flatMap(({ name, example }) => empty(example, name))].map((text) => `${place} ${text}`);
    });
    expect(found).to.deep.equal([]);
  });
});
