/**
 * What a first start shows: the key, and a few lines that use it. They need a POSIX shell, curl and grep; an id is found
 * by its prefix, so that nothing has to parse JSON.
 */

const json = "-H 'Content-Type: application/json'"

/** The lines of the tour; a shell runs them as they stand. */
export const lines = (url: string, key: string): ReadonlyArray<string> => [
  `API=${url}/api/v1`,
  `KEY=${key}`,
  "# a tenant, of which you are the Admin, and a bucket in it",
  `TENANT=$(curl -sS "$API/tenants?apiKey=$KEY" ${json} \\`,
  `  -d '{"name":"My Company","subdomain":"my-company"}' | grep -o 'ten_[0-9a-f-]*' | head -n 1)`,
  `BUCKET=$(curl -sS "$API/tenants/$TENANT/buckets?apiKey=$KEY" ${json} \\`,
  `  -d '{"name":"documents"}' | grep -o 'bkt_[0-9a-f-]*' | head -n 1)`,
  "# a file: upload it, then look at it",
  `FILE=$(echo 'Hello from Holdfast' | curl -sS "$API/tenants/$TENANT/buckets/$BUCKET/files/upload?apiKey=$KEY" \\`,
  `  -F 'body={"name":"hello.txt","path":"/"}' -F 'file=@-;filename=hello.txt' | grep -o 'fil_[0-9a-f-]*' | head -n 1)`,
  `curl -sS "$API/tenants/$TENANT/buckets/$BUCKET/files/$FILE/view?apiKey=$KEY"`
]

const indent = (line: string): string => `  ${line}`

/** The whole text. */
export const text = (url: string, email: string, key: string): string =>
  [
    "",
    `This is the first start. Here is the account key of ${email}. It is shown this once only:`,
    "",
    indent(key),
    "",
    "A tour, to be pasted into another terminal:",
    "",
    ...lines(url, key).map(indent),
    "",
    `The API's reference: ${url}/docs`,
    ""
  ].join("\n")
