/**
 * The pages of docs/ in the order of the site's sidebar. The tests fail when a page is missing here.
 */
export interface Group {
  readonly text: string
  readonly items: ReadonlyArray<{ readonly text: string; readonly link: `/${string}` }>
}

export const groups: ReadonlyArray<Group> = [
  {
    text: "Start",
    items: [
      { text: "Getting started", link: "/getting-started" },
      { text: "Concepts", link: "/concepts" },
      { text: "Migrating", link: "/migrating" }
    ]
  },
  {
    text: "In your application",
    items: [
      { text: "Options of the library", link: "/options" },
      { text: "Mounting", link: "/mounting" },
      { text: "Runtimes and bundlers", link: "/runtimes" },
      { text: "Browsers", link: "/browsers" },
      { text: "Links", link: "/links" },
      { text: "Shares", link: "/shares" },
      { text: "Uploads in parts", link: "/uploads" },
      { text: "S3 API", link: "/s3" },
      { text: "Moving files", link: "/moving" },
      { text: "Hooks", link: "/hooks" },
      { text: "API keys", link: "/keys" },
      { text: "Errors", link: "/errors" }
    ]
  },
  {
    text: "Features",
    items: [
      { text: "Streaming", link: "/streaming" },
      { text: "Players", link: "/players" },
      { text: "Mirrors", link: "/mirrors" },
      { text: "Webhooks", link: "/webhooks" },
      { text: "Events", link: "/events" },
      { text: "Limits", link: "/limits" }
    ]
  },
  {
    text: "Operating",
    items: [
      { text: "Deployment", link: "/deployment" },
      { text: "Settings", link: "/configuration" },
      { text: "Operating", link: "/operating" },
      { text: "Scaling", link: "/scaling" },
      { text: "Performance", link: "/performance" },
      { text: "Security", link: "/security" },
      { text: "Troubleshooting", link: "/troubleshooting" }
    ]
  },
  { text: "Background", items: [{ text: "Decisions", link: "/decisions/" }] }
]
