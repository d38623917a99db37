import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ServiceBroker } from "moleculer";
import { RouteTable } from "../../../core/http/route-table.ts";
import { type LiveAction, liveActions } from "../../../mixins/live-registry.ts";

/** Every answer of a test is compared with what its action declares, because the reference promises exactly that to callers. */
// Each schema serves few answers: making its code smaller would take longer than running it.
const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } });
formats.default(ajv);
ajv.addFormat("decimal", /^-?\d+(\.\d+)?$/);
ajv.addFormat("time", /^\d\d:\d\d(:\d\d)?$/);

/** The nodes whose answers are compared, with the actors that only tests have. */
const nodes = new Map<number, { broker: ServiceBroker; except: ReadonlySet<string> }>();
const tables = new WeakMap<readonly LiveAction[], RouteTable<LiveAction>>();
const validators = new WeakMap<object, ValidateFunction>();

/** Compares the answers of this node from now on. @param except actors of a test, whose answers are not in the reference */
export const compareAnswers = (port: number, broker: ServiceBroker, except: ReadonlySet<string>): void =>
  void nodes.set(port, { broker, except });

/** Compares no more answers of a node that stops, and lets it go. */
export const forgetAnswers = (port: number): void => void nodes.delete(port);

/** Compares no more answers of this process's node: a test filled tables with rows that no request could have written. */
export const leaveUncompared = (): void => nodes.clear();

function actionOf(broker: ServiceBroker, method: string, path: string): LiveAction | undefined {
  const actions = liveActions(broker);
  let table = tables.get(actions);
  if (!table) {
    tables.set(actions, (table = new RouteTable()));
    for (const action of actions)
      if (action.rest && action.method && action.urlPath) table.add(action.method, action.urlPath, action);
  }
  return table.find(method, path)?.value;
}

/** Limits of requests. Rows that a test inserts itself may exceed them. */
const OF_REQUESTS = new Set(["minLength", "maxLength", "pattern"]);

/** A copy that allows no undeclared properties. Without `$id`, so that one named schema can be compiled in several places. */
const closed = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if ((key === "$id" && typeof value === "string") || (OF_REQUESTS.has(key) && typeof value !== "object")) return undefined;
      const isObject = value?.type === "object" && typeof value.properties === "object";
      return isObject && value.additionalProperties === undefined ? { ...value, additionalProperties: false } : value;
    }),
  );

function validatorOf(schema: object): ValidateFunction {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = ajv.compile(closed(schema))));
  return validate;
}

/**
 * Compares a successful JSON answer with the schema that its action declares.
 * @param path relative to `/api/v1`, with its query
 * @throws Error that names the place and the rule, when the answer breaks it
 */
export function compareAnswer(port: number, method: string, path: string, status: number, body: unknown): void {
  const node = nodes.get(port);
  if (!node || body === undefined || status < 200 || status > 299) return;
  const action = actionOf(node.broker, method, path.replace(/\?.*$/, ""));
  if (action && node.except.has(action.name.slice(0, action.name.lastIndexOf(".")))) return;
  const other = action?.otherStatuses?.[status];
  const schema = typeof other === "object" ? other : action?.returns;
  if (!action || !schema || typeof schema !== "object") return;
  const validate = validatorOf(schema);
  if (validate(body)) return;
  const broken = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
    const at = instancePath.split("/").slice(1);
    const value = at.reduce<unknown>((whole, key) => (whole as Record<string, unknown> | undefined)?.[key], body);
    return `  ${instancePath || "/"} ${message} ${JSON.stringify(params)}, not ${JSON.stringify(value)?.slice(0, 200)}`;
  });
  throw new Error(`${method} ${path} answers ${status} with what ${action.name} does not declare:\n${broken.join("\n")}`);
}
