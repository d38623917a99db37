import { type Action, pathParameters } from "../../core/declare/action.ts";
import { unknownQuery } from "../../core/declare/query-names.ts";
import { invalid, isApiError, type RefusalParts } from "../../core/errors/errors.ts";
import { compileForm } from "../../core/files/upload.ts";
import type { HttpParams } from "../../core/request/context.ts";
import { type TProperties, uuid } from "../../core/schema/schema.ts";
import { type Check, compileBody, compileParameters, ofChange } from "../../core/schema/validation.ts";

/** Compiles the action's schemas into one reader of parameters and body. */
export function compileInput(action: Action): (http: HttpParams["$http"]) => unknown {
  const names = pathParameters(action.urlPath);
  const path: TProperties = Object.fromEntries(names.map((name) => [name, action.path?.[name] ?? uuid()]));
  const query = action.query ?? {};
  const parameters = compileParameters({ ...path, ...query }, [...names, ...action.requiredQuery]);
  const unknown = unknownQuery(action, names);
  const form = compileForm(action.body);
  const isChange = action.method === "PATCH";
  const body: Check | null =
    action.body && !form ? compileBody(isChange ? ofChange(action.body) : action.body, action.method === "POST") : null;
  // One answer reports all errors in path, query and body (conventions §9).
  return ({ parameters: raw, body: given }) => {
    const [values, wrong] = fieldsThrown(() => parameters(raw));
    const unread = unknown?.(raw);
    const misplaced = unread ? { ...wrong, ...unread.fields } : wrong;
    if (form) {
      const sent = (given ?? {}) as Record<string, unknown>;
      const [texts, unfit] = fieldsThrown(() => form.texts(sent));
      const [file, untaken, refused] = fieldsThrown(() => form.file(sent));
      // If only the file is rejected, the error keeps its own message (conventions §18).
      if (refused && !misplaced && !unfit) throw refused;
      if (misplaced || unfit || untaken) throw invalid({ ...unfit, ...untaken, ...misplaced });
      return { ...values, body: { ...texts, ...file } };
    }
    if (!body) {
      if (misplaced) throw invalid(misplaced, unread?.details);
      return values;
    }
    const [, unfit, refused] = fieldsThrown(() => {
      if (given === undefined) throw invalid({ _: "errors.required" });
      body(given);
    });
    if (refused && !misplaced) throw refused;
    if (misplaced) throw invalid({ ...unfit, ...misplaced }, unread?.details);
    return { ...values, body: given };
  };
}

/** The result of `check`, or the fields of its 422 and the error itself. */
function fieldsThrown<T>(check: () => T): [T, null, null] | [null, Record<string, string>, Error] {
  try {
    return [check(), null, null];
  } catch (error) {
    if (!isApiError(error) || error.code !== 422) throw error;
    return [null, (error.data as RefusalParts).fields ?? {}, error];
  }
}
