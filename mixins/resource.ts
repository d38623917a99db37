import type { ServiceSchema } from "moleculer";
import { LIST_DEFAULTS, type Listing, type ListQuery } from "../core/database/lists/list.ts";
import { type WholeListRequest, type WholeListSpec, wholeList } from "../core/database/lists/whole-list.ts";
import type { Model, RowOf } from "../core/database/model.ts";
import type { Projection } from "../core/database/projection.ts";
import { query, queryOne } from "../core/database/query.ts";
import { lock } from "../core/database/write.ts";
import type { Action } from "../core/declare/action.ts";
import { notFound } from "../core/errors/errors.ts";
import { requireMatch } from "../core/http/etag.ts";
import { request } from "../core/request/context.ts";
import { nextCursor } from "../core/request/walk.ts";
import { JsonText, pageText, WrittenRow } from "../core/sql/json-text.ts";
import type { Bound, TextRow } from "../core/sql/statement.ts";
import { declaringWork, type Work } from "./jobs.ts";
import { licence } from "./licence.ts";
import { permission } from "./permission.ts";
import { plainReads } from "./request/plain-reads.ts";
import { auditService } from "./request/request.ts";
import { tenancy } from "./tenancy.ts";

/** The actor of one resource: the reads of every resource over its model, and the declared actions. */
export function resource(
  name: string,
  { model, actions, ...rest }: Omit<ServiceSchema, "name" | "actions"> & Work & { model: Model; actions: Record<string, Action> },
) {
  return service(name, { ...rest, actions: { ...plainReads(model), ...actions } });
}

/** An actor without its own rows. */
export function service(
  name: string,
  { actions, mixins = [], ...rest }: Omit<ServiceSchema, "name" | "actions"> & Work & { actions: Record<string, Action> },
): ServiceSchema {
  const schema = { ...rest, name, mixins: [tenancy, permission, licence, ...mixins], actions };
  return declaringWork(auditService(schema as unknown as ServiceSchema));
}

/** A resource's rows and the limits of a principal's view within its organisation: a condition for restricted selections. */
export interface RowsSpec<M extends Model> {
  model: M;
  projection: Projection;
  listing?: Listing;
  /** The list of a resource whose rows fit one answer. */
  whole?: WholeListSpec;
  /** Condition on alias `t` for a restricted selection; `slot` contains its sources. */
  visible?: (slot: string) => string;
  /** True if the projection itself shows less to a restricted principal: it takes the selection's sources (or null) as `$3`. */
  narrowed?: boolean;
}

/** Reads and locks rows of one resource, always within the organisation and selection. */
export function rowsOf<M extends Model>({ model, projection, listing, whole, visible, narrowed = false }: RowsSpec<M>) {
  const everything = projection.one();
  const selected = visible ? projection.one(visible("$3::uuid[]")) : everything;
  const restricted = visible?.("$3::uuid[]");
  const everyRow = whole && wholeList(model, projection, whole, visible, narrowed);
  const selection = () => (visible ? (request().principal?.selection ?? null) : null);
  const narrowing = () => (narrowed ? [request().principal?.selection ?? null] : []);

  /** The statement of the unpaged list, for requests that send others with it; its row has the list in `items`. */
  const allBound = (wanted: WholeListRequest): Bound => {
    if (!everyRow) throw new TypeError(`${model.table} has no unpaged list`);
    return everyRow(request().organisation.id, wanted, request().principal?.selection ?? null);
  };

  return {
    allBound,

    /** All rows that match, in the order of the unpaged list. */
    async all(wanted: WholeListRequest = {}): Promise<JsonText> {
      return new JsonText((await queryOne<{ items: string }>(...allBound(wanted)))?.items ?? "[]");
    },

    /** The row as the API returns it. @throws 404 if it does not exist or is not visible */
    async one(id: string): Promise<JsonText> {
      const sources = selection();
      const found =
        sources === null
          ? await queryOne<{ version: number; body: string }>(everything, [request().organisation.id, id, ...narrowing()])
          : await queryOne<{ version: number; body: string }>(selected, [request().organisation.id, id, sources]);
      if (!found) throw notFound();
      return new JsonText(found.body, found.version);
    },

    /** The row just written, regardless of the selection: its creator sees the result of its own write. */
    answerWith(id: string): WrittenRow {
      return new WrittenRow([everything, [request().organisation.id, id, ...narrowing()]]);
    },

    /**
     * A page of the resource's list; omitted parameters default to `LIST_DEFAULTS`.
     * @param filters values of the listing's filters
     * @throws 400 `invalid_sort`
     */
    async page(asked: ListQuery, filters: Record<string, unknown> = {}): Promise<JsonText> {
      const { limit = LIST_DEFAULTS.limit, offset = LIST_DEFAULTS.offset, count = LIST_DEFAULTS.count } = asked;
      const { sort, q, updated_since } = asked;
      const { organisation, walk } = request();
      const wanted = { limit, offset, count, sort, q, updated_since, filters, after: walk?.after, selection: selection() };
      const { bound, read } = (listing as Listing).page(organisation.id, wanted);
      const { items, total, last } = read(await query<TextRow>(...bound));
      return pageText({ items, total, limit, offset, next: nextCursor(walk, last) });
    },

    /**
     * The stored row, locked for a write and compared with `If-Match`. @throws 404, 412
     * @param permit checks the row's own permission, before the tag is compared (conventions §3.3)
     */
    async forWrite(id: string, permit?: (row: RowOf<M>) => void): Promise<RowOf<M>> {
      const sources = selection();
      const row =
        sources === null || restricted === undefined ? await lock(model, id) : await lock(model, id, restricted, [sources]);
      if (!row) throw notFound();
      permit?.(row);
      requireMatch((row as { version: number }).version);
      return row;
    },
  };
}
