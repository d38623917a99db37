type Prefs = Record<string, unknown>;

const isObject = (value: unknown): value is Prefs => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Merges preferences on PUT: per top-level name, an object merges one level deep into the stored object and sent keys win; any other value
 * replaces it; null is stored as null (platform chapter §6).
 */
export function mergedPrefs(before: Prefs, sent: Prefs): Prefs {
  const merged = Object.entries(sent).map(([name, value]) => {
    const former = Object.hasOwn(before, name) ? before[name] : undefined;
    return [name, isObject(value) && isObject(former) ? { ...former, ...value } : value];
  });
  return { ...before, ...Object.fromEntries(merged) };
}
