/** Zone of an organisation that never chose one (conventions §15). */
export const DEFAULT_ZONE = "Europe/Amsterdam";
