import type { WantedMonitor } from "../kuma/remote-monitor.ts";

/** Settings of a monitor, by their names here (workspace-reporting §5). */
export type Settings = Omit<WantedMonitor, "name" | "monitor_type" | "target" | "port" | "parent">;

/** The limits of the server's own form for the seconds between two checks and for the retries of a check. */
export const INTERVAL = { least: 20, most: 86_400 } as const;
export const RETRIES = { least: 0, most: 10 } as const;

export const BUILT_IN: Settings = {
  interval_seconds: 60,
  retries: 1,
  retry_interval_seconds: 60,
  resend_interval: 0,
  timeout_seconds: 48,
  method: "GET",
  accepted_statuses: ["200-299"],
  max_redirects: 10,
  expiry_notification: true,
};

export const SETTING_NAMES = Object.keys(BUILT_IN) as readonly (keyof Settings)[];

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(most, Math.max(least, value));

/** Settings of a profile or a monitor; null and undefined fall back to the next level. */
export type PartialSettings = { readonly [Name in keyof Settings]?: Settings[Name] | null | undefined };

/**
 * Resolves the settings of a monitor: its own, else its profile's, else the built-in ones, limited to their bounds (workspace-reporting
 * §5).
 * @param profile null without one
 */
export function resolvedSettings(profile: PartialSettings | null, own: PartialSettings): Settings {
  const given = (source: PartialSettings | null) =>
    Object.fromEntries(
      SETTING_NAMES.flatMap((name) => {
        const value = source?.[name];
        return value === null || value === undefined ? [] : [[name, value]];
      }),
    );
  const resolved: Settings = { ...BUILT_IN, ...given(profile), ...given(own) };
  return {
    ...resolved,
    interval_seconds: within(resolved.interval_seconds, INTERVAL),
    retries: within(resolved.retries, RETRIES),
  };
}
