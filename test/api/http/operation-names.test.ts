import { expect } from "chai";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { commandsOf } from "../../../sdk/generate/cli.ts";
import type { Document } from "../../../sdk/generate/document.ts";
import { modelOf } from "../../../sdk/generate/model.ts";
import { moduleOf } from "../../../services/api/openapi/openapi.ts";
import { operationId, operationName } from "../../../services/api/openapi/operation-names.ts";
import { Routes } from "../../../services/api/routes.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { sharedService, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

interface NamedOperation {
  route: string;
  id: string;
  name: string;
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  GET: ["list", "get"],
  POST: ["create"],
  PATCH: ["update"],
  PUT: ["set"],
  DELETE: ["remove"],
};
const template = (urlPath: string) => urlPath.replace(/:([a-z_]+)/g, "{$1}");
const camelCase = (words: string) => words.replace(/[-_.]([a-z])/g, (_, next: string) => next.toUpperCase());

describe("the names of operations", () => {
  let service: TestService;
  let named: NamedOperation[];
  let routes: Routes;
  before(async () => {
    service = await sharedService();
    const { host } = await service.tenant();
    const { paths } = (await service.call("GET", "//api/openapi.json", { host })).body as {
      paths: Record<string, Record<string, { operationId: string; "x-sdk-name": string }>>;
    };
    named = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId: id, "x-sdk-name": name }]) => {
        return { route: `${method.toUpperCase()} ${path}`, id, name };
      }),
    );
    routes = new Routes();
    routes.rebuild(service.node.broker);
    for (const one of routes.ofInstance)
      named.push({ route: `${one.method} ${template(one.urlPath)}`, id: operationId(one), name: operationName(one) });
  });
  after(() => service.stop());

  /** The operations that a rule does not hold for. */
  const breaking = (rule: (operation: NamedOperation) => boolean) =>
    named.filter((one) => !rule(one)).map(({ route, name }) => `${route}: ${name}`);
  const declarationOf = (route: string) => {
    const all = [...routes.declarations, ...routes.ofInstance];
    const found = all.find(({ method, urlPath }) => `${method} ${template(urlPath)}` === route);
    if (!found) throw new TypeError(`no action serves ${route}`);
    return found;
  };

  it("are words that a command line can tell apart", async () => {
    const { host } = await service.tenant();
    const { body } = await service.call("GET", "//api/openapi.json?for=codegen", { host });
    const model = modelOf(body as Document);
    expect(Object.keys(commandsOf(model).commands)).to.deep.equal(model.operations.map(({ name }) => name));
  });

  it("are dotted words in camel case, each once, and operation ids without the dots", () => {
    expect(named.length).to.be.greaterThan(700);
    expect(breaking(({ name }) => /^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)+$/.test(name))).to.deep.equal([]);
    expect(breaking(({ id, name }) => id === camelCase(name))).to.deep.equal([]);
    expect(new Set(named.map(({ id }) => id)).size).to.equal(named.length);
  });

  it("name no object that is an operation as well", () => {
    const names = new Set(named.map(({ name }) => name));
    const outer = (name: string) => name.split(".").map((_, at, parts) => parts.slice(0, at).join("."));
    expect(breaking(({ name }) => !outer(name).some((one) => names.has(one)))).to.deep.equal([]);
  });

  it("begin with the first segment of their path, or with what its module calls it", () => {
    const own = catalogue().operationNames;
    const beginnings = (path: string) => Object.keys(own).filter((one) => path.startsWith(one));
    const begins = ({ route, name }: NamedOperation) => {
      const { urlPath } = declarationOf(route);
      const areas = [moduleOf({ urlPath }), ...beginnings(urlPath).map((one) => own[one]?.split(".")[0] ?? "")];
      return areas.some((area) => name.startsWith(`${camelCase(area)}.`));
    };
    expect(breaking(begins)).to.deep.equal([]);
  });

  it("end with the verb of their method, the last word of their path, or the declared verb", () => {
    const ends = ({ route, name }: NamedOperation) => {
      const { method, urlPath, verb } = declarationOf(route);
      const verbs = verb === undefined ? (METHODS[method] ?? []) : [verb];
      const last = method === "POST" && verb === undefined ? [camelCase(urlPath.slice(urlPath.lastIndexOf("/") + 1))] : [];
      return [...verbs, ...last].includes(name.slice(name.lastIndexOf(".") + 1));
    };
    expect(breaking(ends)).to.deep.equal([]);
  });

  it("declare no verb that method and path say", () => {
    const idle = [...routes.declarations, ...routes.ofInstance].filter((one) => {
      const { verb, ...rest } = one;
      return verb !== undefined && operationName(rest) === operationName(one);
    });
    expect(idle.map(({ name }) => name)).to.deep.equal([]);
  });
});
