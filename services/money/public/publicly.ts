import { isApiError, type RefusalParts } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { PUBLIC_HEADERS } from "./public-rows.ts";

/** Runs work and sets the public headers on its answer and on refusals. */
export async function publicly<T>(work: () => Promise<T>): Promise<T> {
  Object.assign(request().headers, PUBLIC_HEADERS);
  try {
    return await work();
  } catch (error) {
    if (isApiError(error)) {
      const parts = (error.data ?? {}) as RefusalParts;
      error.data = { ...parts, headers: { ...parts.headers, ...PUBLIC_HEADERS } };
    }
    throw error;
  }
}
