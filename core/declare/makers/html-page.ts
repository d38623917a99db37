import type { TProperties, TSchema } from "../../schema/schema.ts";
import { type Action, declared, type EitherAccess } from "../action.ts";
import { type Described, FORM, type ParamsOf, type Sent, type Work } from "../options.ts";

/** The options of `htmlPage()`. */
interface HtmlPageOptions<R extends string, P extends TProperties, Q extends TProperties, B extends TSchema | undefined>
  extends Described,
    Pick<Sent<R, P, Q, B>, "path" | "query" | "body">,
    Work<ParamsOf<R, P, Q, B>> {
  /** `METHOD /path/:parameter` of the page. */
  page: R;
}

/**
 * Declares an HTML page for people: outside `/api/v1` and the reference, rendered by the gateway in the style of its own pages. The handler
 * returns a `PageMade` of core/pages; errors are rendered as pages, 403 and 422 as the 404 page. A POST calls other actors in `prepare`,
 * and its body is that of an HTML form.
 */
export const htmlPage = <
  const R extends string,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
>(
  declaration: EitherAccess<HtmlPageOptions<R, P, Q, B>>,
): Action => declared({ ...declaration, ...(declaration.body && { bodyType: FORM }) });
