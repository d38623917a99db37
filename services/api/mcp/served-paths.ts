import { AREAS, type Area } from "../areas.ts";

/** Path of the MCP endpoint, on every organisation's host. Each area has one of its own below it, such as `/mcp/work`. */
export const MCP_PATH = "/mcp";

/** A path that the endpoint serves: one area, or everything. */
export interface ServedPath {
  /** Path of the protected resource, such as `/mcp/work`. */
  path: string;
  area: Area | null;
}

const PATHS: ReadonlyMap<string, ServedPath> = new Map(
  [null, ...AREAS].map((area) => {
    const path = area === null ? MCP_PATH : `${MCP_PATH}/${area.key}`;
    return [path, { path, area }];
  }),
);

/** The served path of a request, with or without a slash at its end; null for any other path. */
export const servedPath = (path: string): ServedPath | null => PATHS.get(path.endsWith("/") ? path.slice(0, -1) : path) ?? null;
