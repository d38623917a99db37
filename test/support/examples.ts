import type { Config } from "../../core/config/config.ts";
import { seedDemo } from "../../operator/demo/seed.ts";
import { startService, type TestService } from "./service.ts";

interface Parameter {
  $ref?: string;
  in: string;
  name: string;
  required: boolean;
  example?: unknown;
}

/** An operation of the document that reads. */
export interface Read {
  /** Its template, such as `/tasks/{task_id}`. */
  place: string;
  /** The path with the examples of its parameters and of required query parameters. */
  path: string;
  /** The query parameters that may be left out, each as it is sent. */
  optional: Record<string, string>;
}

/** A service with the demo organisation. */
export interface DemoService {
  service: TestService;
  reads: Read[];
  get(path: string): ReturnType<TestService["call"]>;
}

const sent = ({ name, example }: Parameter): string =>
  [example]
    .flat()
    .map((value) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");

function readOf(place: string, parameters: readonly Parameter[]): Read {
  const path = place.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(String(parameter?.example));
  });
  const query = parameters.filter((one) => one.in === "query");
  const required = query.filter((one) => one.required).map(sent);
  return {
    place,
    path: [path, required.join("&")].filter(Boolean).join("?"),
    optional: Object.fromEntries(query.filter((one) => !one.required).map((one) => [one.name, sent(one)])),
  };
}

/** Starts a service, fills the demo organisation as the first start does, and reads the operations from its document. */
export async function startDemo(): Promise<DemoService> {
  const service = await startService();
  const config = { baseDomain: "kantoor.test", keyPrefix: "kt" } as Config;
  const first = await seedDemo(service.database.owner, config, async () => {});
  if (!first) throw new Error("the database has an organisation");
  const as = { host: "demo.kantoor.test", key: first.apiKey };
  const { paths } = (await service.call("GET", "//api/openapi.json", as)).body as {
    paths: Record<string, { get?: { parameters?: Parameter[]; responses: Record<string, { content?: object }> } }>;
  };
  const reads = Object.entries(paths).flatMap(([place, { get }]) => {
    // A stream has no end.
    if (!get || "text/event-stream" in (get.responses["200"]?.content ?? {})) return [];
    return [
      readOf(
        place,
        (get.parameters ?? []).filter(({ $ref }) => !$ref),
      ),
    ];
  });
  return { service, reads, get: (path) => service.call("GET", path, as) };
}
