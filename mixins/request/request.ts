import type { Middleware, Service, ServiceBroker, ServiceSchema } from "moleculer";
import { type Action, isTenanted, isWrite, mayComeFromReplica, successStatus } from "../../core/declare/action.ts";
import { isWalked } from "../../core/declare/cursor-query.ts";
import { findError } from "../../core/errors/errors.ts";
import { uploadField } from "../../core/files/upload.ts";
import { recordedCall, recordedId } from "../acting.ts";
import { callsOf, type Send } from "../calls.ts";
import { localSignInGate } from "../local-sign-in.ts";
import { wrapped } from "../wrappers.ts";
import { compileInput } from "./request-input.ts";
import { ActionRequest, type CompiledAction, type Run } from "./request-steps.ts";

type LocalAction = Action & { name: string; service: Service };

/** @throws TypeError for an error that no module declares */
function requireErrors(name: string, { errors = [] }: Action): void {
  for (const declared of errors)
    if (!findError(declared)) throw new TypeError(`${name} declares the error '${declared}', which no module.ts declares`);
}

/** Compiles the declaration of an action: what every request would find out again. */
function compiledAction(action: LocalAction, standIns: readonly string[]): Omit<CompiledAction, "handler"> {
  const { name } = action;
  requireErrors(name, action);
  return {
    name,
    action,
    serve: wrapped(action.service, (request) => request.run(), { name, action, standIns }),
    localSignIn: localSignInGate(action),
    read: compileInput(action),
    mode: isWrite(action) ? "write" : "read",
    status: successStatus(action),
    uploadField: uploadField(action.body)?.field,
    isWalked: isWalked(action),
    mayComeFromReplica: mayComeFromReplica(action),
  };
}

/** Makes every call of an action a request. */
function serving(compiled: CompiledAction): Run {
  return (ctx) => {
    const id = recordedId(compiled.action, ctx);
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
  /** Moleculer wraps an action twice: for its service, and when it registers the service. */
  const compiled = new WeakMap<LocalAction, ReturnType<typeof compiledAction>>();
  return {
    name: "Request",
    created(made) {
      broker = made;
    },
    localAction(next, definition) {
      const action = definition as unknown as LocalAction;
      if (!isTenanted(action)) return next;
      let once = compiled.get(action);
      if (!once) compiled.set(action, (once = compiledAction(action, standIns)));
      return serving({ ...once, handler: next as Run });
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
