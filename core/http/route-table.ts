import findMyWay from "find-my-way";
import { pathParameters } from "../declare/action.ts";

/** A path parameter may be as long as the server accepts: rejecting an invalid id is up to the schema. */
const ROUTER = { ignoreTrailingSlash: true, caseSensitive: true, maxParamLength: 16_384 };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

type ByMethod<T> = Map<string, { value: T; names: string[] }>;

/**
 * Routes by path first and method second: a declared path such as `/companies/groups` never matches as the parameter of another, such as
 * `/companies/:company_id`, whatever the method.
 */
export class RouteTable<T> {
  readonly #router = findMyWay(ROUTER);
  readonly #paths = new Map<string, ByMethod<T>>();

  /** @param urlPath `/companies/:company_id`; routes of one path may name its parameters differently */
  add(method: string, urlPath: string, value: T): void {
    const names = pathParameters(urlPath);
    let position = 0;
    const shape = urlPath.replace(/:[a-z_]+/g, () => `:p${position++}`);
    let methods = this.#paths.get(shape);
    if (!methods) {
      this.#paths.set(shape, (methods = new Map()));
      this.#router.on("GET", shape, () => {}, methods);
    }
    methods.set(method, { value, names });
  }

  /** The route of a method and path, with the path parameters by name, or null. */
  find(method: string, path: string): { value: T; parameters: Record<string, string> } | null {
    const found = this.#router.find("GET", path);
    const route = (found?.store as ByMethod<T> | undefined)?.get(method);
    if (!found || !route) return null;
    const values = Object.values(found.params);
    return { value: route.value, parameters: Object.fromEntries(route.names.map((name, at) => [name, values[at] as string])) };
  }

  /** The methods of a path; empty if the path has no route. */
  methodsOf(path: string): string[] {
    const known = this.#router.find("GET", path)?.store as ByMethod<T> | undefined;
    return METHODS.filter((method) => known?.has(method));
  }
}
