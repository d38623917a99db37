import { successStatus } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { uploadField } from "../../../core/files/upload.ts";
import type { Declaration } from "../openapi/declaration.ts";
import { moduleOf } from "../openapi/openapi.ts";
import { operationId } from "../openapi/operation-names.ts";
import { admission, type Route } from "../routes.ts";
import { type ArgumentsSchema, argumentsSchema, takenNames } from "./schemas.ts";
import { type Indexed, indexed } from "./search.ts";

/** What a client may expect of a call, by its method: guides the client's prompts, never the service's checks. */
export interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** False: everything concerns the organisation's own records. */
  openWorldHint: boolean;
}

/** An API action as a tool client sees it: derived from its declaration alone, never from stored data. */
export interface Operation {
  /** As in the API reference. */
  id: string;
  module: string;
  summary: string;
  description: string | null;
  hints: Hints;
  route: Route;
  indexed: Indexed;
  /** Whether the principal passes the permission and licence checks. */
  admits(principal: Principal): boolean;
  schema(): ArgumentsSchema;
}

/** Why an API action is not a tool, or null if it is. */
export function leftOut(declaration: Declaration): string | null {
  const { rest, untenanted, open, needs = "principal", sessionOnly, body, bodyType = "application/json" } = declaration;
  if (rest === undefined || untenanted) return "it is not part of an organisation's API";
  if (sessionOnly || (open !== undefined && needs !== "principal")) return "keys do not reach it, or need not";
  if (uploadField(body)) return "it needs a file";
  if (bodyType !== "application/json") return "it needs a form";
  if (declaration.returnsFile !== undefined) return "it answers with a file";
  if (declaration.streams !== undefined) return "it answers with a stream";
  if (successStatus(declaration) >= 300) return "it sends a browser elsewhere";
  if (declaration.oneTime) return "it answers with a secret, which belongs in no conversation";
  return null;
}

/** A POST that creates destroys nothing; any other write may. */
const hintsOf = (declaration: Declaration): Hints => {
  const { method } = declaration;
  const reads = method === "GET";
  const adds = method === "POST" && successStatus(declaration) === 201;
  return {
    readOnlyHint: reads,
    destructiveHint: !reads && !adds,
    idempotentHint: method !== "POST",
    openWorldHint: false,
  };
};

/** The access check of an action; null if this node does not know its permission, which a newer node brought. */
function admissionOf(declaration: Declaration): ReturnType<typeof admission> | null {
  try {
    return admission(declaration);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function operationOf(route: Route): Operation | null {
  const { declaration } = route;
  const { name, summary, description = null } = declaration;
  const module = moduleOf(declaration);
  const admit = admissionOf(declaration);
  if (!admit) return null;
  let schema: ArgumentsSchema | undefined;
  return {
    id: operationId(declaration),
    module,
    summary,
    description,
    hints: hintsOf(declaration),
    route,
    indexed: indexed({
      name: [name, declaration.urlPath.replace(/:\w+/g, "")],
      summary: [summary],
      about: [description ?? "", catalogue().tags[module] ?? "", ...takenNames(declaration)],
    }),
    admits(principal) {
      try {
        admit(principal);
        return true;
      } catch (error) {
        if (isApiError(error)) return false;
        throw error;
      }
    },
    schema: () => (schema ??= argumentsSchema(declaration)),
  };
}

/** The operations of the routes, by name. */
export const operationsOf = (routes: readonly Route[]): Map<string, Operation> =>
  new Map(
    routes
      .filter(({ declaration }) => leftOut(declaration) === null)
      .flatMap((route) => operationOf(route) ?? [])
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((operation) => [operation.id, operation]),
  );
