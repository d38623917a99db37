/** The answer of an action declared as a page: markup from `html`, or an address to redirect to. */
export type PageMade =
  | {
      /** Default 200. */
      status?: number;
      /** The language of its texts, such as `nl`. */
      locale: string;
      title: string;
      /** Markup as text, because an answer travels between nodes. */
      body: string;
      /** Address to which the browser moves automatically, and after how many seconds. */
      refresh?: { seconds: number; address: string };
    }
  | { location: string };
