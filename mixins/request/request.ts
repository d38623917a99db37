import type { Middleware, ServiceBroker, ServiceSchema } from "moleculer";
import { type Action, isWrite, successStatus } from "../../core/declare/action.ts";
import { isWalked } from "../../core/declare/cursor-query.ts";
import type { Meta } from "../../core/declare/principal.ts";
import { findError } from "../../core/errors/errors.ts";
import { uploadField } from "../../core/files/upload.ts";
import { recordedCall, recordedId } from "../acting.ts";
import { callsOf, type Send } from "../calls.ts";
import { licenceGate } from "../licence.ts";
import { localSignInGate } from "../local-sign-in.ts";
import { permissionGate } from "../permission.ts";
import { compileInput } from "./request-input.ts";
import { ActionRequest, type CompiledAction, type Run } from "./request-steps.ts";

/** @throws TypeError for an error that no module declares */
function requireErrors(name: string, { errors = [] }: Action): void {
  for (const declared of errors)
    if (!findError(declared)) throw new TypeError(`${name} declares the error '${declared}', which no module.ts declares`);
}

/** Compiles the declaration of an action: what every request would find out again. */
function compiledAction(
  name: string,
  action: Action & { name: string },
  handler: Run,
  standIns: readonly string[],
): CompiledAction {
  requireErrors(name, action);
  const permitted = permissionGate(name, action, standIns);
  const licensed = licenceGate(action);
  const local = localSignInGate(action);
  return {
    name,
    action,
    handler,
    gates: [
      ({ principal }) => permitted(principal),
      ...(licensed ? [({ principal }: Meta) => licensed(principal)] : []),
      ...(local ? [({ organisation }: Meta) => local(organisation)] : []),
    ],
    read: compileInput(action),
    mode: isWrite(action) ? "write" : "read",
    status: successStatus(action),
    uploadField: uploadField(action.body)?.field,
    isWalked: isWalked(action),
  };
}

/** Wraps one of our actions in the steps of a request. */
function wrap(name: string, action: Action & { name: string }, next: Run, standIns: readonly string[]): Run {
  const compiled = compiledAction(name, action, next, standIns);
  return (ctx) => {
    const id = recordedId(action, ctx);
    if (id === undefined) return new ActionRequest(compiled, ctx).serve();
    return recordedCall(id, ctx).then((recorded) => recorded && new ActionRequest(compiled, ctx, recorded).serve());
  };
}

/**
 * The broker middleware that enforces `permission`, `rest`, `body` and the rest of a declaration.
 * @param standIns modules without a folder whose permissions actors of tests require
 */
export function requestMiddleware(standIns: readonly string[] = []): Middleware {
  let broker: ServiceBroker | undefined;
  return {
    name: "Request",
    created(made) {
      broker = made;
    },
    localAction(next, definition) {
      const action = definition as unknown as Action & { name: string };
      if ((action.permission === undefined && action.open === undefined) || action.untenanted) return next;
      return wrap(action.name, action, next as Run, standIns);
    },
    call(next) {
      return callsOf(() => broker, next as unknown as Send) as never;
    },
  };
}

/**
 * Rejects a service with an action that declares neither a permission nor a reason to be open.
 * @throws TypeError naming the action
 */
export function auditService(schema: ServiceSchema): ServiceSchema {
  for (const [name, action] of Object.entries(schema.actions ?? {})) {
    const { permission, open, visibility } = (action || {}) as Omit<Partial<Action>, "visibility"> & { visibility?: string };
    if (action && permission === undefined && open === undefined && visibility !== "private")
      throw new TypeError(`${schema.name}.${name} declares neither a permission nor why it is open`);
  }
  return schema;
}
