/** What an action that is declared as a page answers: markup of `html`, or the address to go on with. */
export type PageMade =
  | {
      /** Default 200. */
      status?: number;
      /** The language of its words, such as `nl`. */
      locale: string;
      title: string;
      /** Markup as text: an answer travels between nodes. */
      body: string;
      /** Where the browser goes on by itself, after how many seconds. */
      refresh?: { seconds: number; address: string };
    }
  | { location: string };
