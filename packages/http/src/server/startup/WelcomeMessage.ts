/**
 * The message of the first start: the first key, and a tour of commands that use it. The commands need a POSIX shell,
 * curl and grep. They find ids by their prefix, so that no JSON parser is needed.
 */

const json = "-H 'Content-Type: application/json'"

/** Returns the lines of the tour. A shell can run them without changes. */
const tour = (url: string, key: string): ReadonlyArray<string> => [
  `API=${url}/api/v1`,
  `KEY=${key}`,
  "# a tenant, of which you are the Admin, and a bucket in it",
  `TENANT=$(curl -sS "$API/tenants?apiKey=$KEY" ${json} \\`,
  `  -d '{"name":"My Company","subdomain":"my-company"}' | grep -o 'ten_[0-9a-f-]*' | head -n 1)`,
  `BUCKET=$(curl -sS "$API/tenants/$TENANT/buckets?apiKey=$KEY" ${json} \\`,
  `  -d '{"name":"documents"}' | grep -o 'bkt_[0-9a-f-]*' | head -n 1)`,
  "# a file: upload it, then view it",
  `FILE=$(echo 'Hello from Holdfast' | curl -sS "$API/tenants/$TENANT/buckets/$BUCKET/files/upload?apiKey=$KEY" \\`,
  `  -F 'body={"name":"hello.txt","path":"/"}' -F 'file=@-;filename=hello.txt' | grep -o 'fil_[0-9a-f-]*' | head -n 1)`,
  `curl -sS "$API/tenants/$TENANT/buckets/$BUCKET/files/$FILE/view?apiKey=$KEY"`
]

const indent = (line: string): string => `  ${line}`

/**
 * Returns the message. `url` is the base URL of the service, `referenceUrl` that of the API reference, `email` the address of the
 * key's account.
 */
export const render = ({
  email,
  key,
  referenceUrl,
  url
}: {
  readonly email: string
  readonly key: string
  readonly referenceUrl: string
  readonly url: string
}): string =>
  [
    "",
    `This is the first start. The account key of ${email} is shown only once:`,
    "",
    indent(key),
    "",
    "To try the service, paste these lines into another terminal:",
    "",
    ...tour(url, key).map(indent),
    "",
    `API reference: ${referenceUrl}/docs`,
    ""
  ].join("\n")
