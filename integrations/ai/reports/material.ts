import type { ActionContext } from "../../../core/declare/action.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { Source } from "../texts/events.ts";

/** Most characters of one read in a prompt. */
const MOST_CHARACTERS = 60_000;

interface Panel {
  key: string;
  data: Record<string, unknown>;
  empty: boolean;
}

/** A client's data, as far as the caller may read it. */
export interface Material {
  name: string;
  /** JSON text. */
  text: string;
  sources: Source[];
}

/**
 * The panels of a client that the caller may read.
 * @throws 404 if the caller does not see the client
 */
export async function panelsOf(ctx: ActionContext, companyId: string): Promise<Material> {
  const panels = await ctx.call<Panel[], object>("companies.panels", { company_id: companyId });
  const own = panels.find(({ key }) => key === "companies.details");
  const name = String(own?.data["name"] ?? "");
  const filled = panels.filter(({ empty }) => !empty);
  const text = shortened(JSON.stringify(Object.fromEntries(filled.map(({ key, data }) => [key, data]))), MOST_CHARACTERS);
  const parts = filled.filter((panel) => panel !== own).map(({ key }) => ({ type: "panel", id: key, label: key }));
  return { name, text, sources: [{ type: "company", id: companyId, label: name }, ...parts] };
}

/** Another action's response to the caller, as JSON text; null if the caller lacks permission. */
export async function readAs(ctx: ActionContext, action: string, params: object): Promise<string | null> {
  try {
    return shortened(JSON.stringify(await ctx.call<unknown, object>(action, params)), MOST_CHARACTERS);
  } catch (error) {
    if (isApiError(error) && error.code === 403) return null;
    throw error;
  }
}
