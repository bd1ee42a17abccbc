/** The style of the API reference. */
export const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);--soft:color-mix(in srgb,currentColor 6%,transparent)}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);font-size:13px}
nav ul,.fields{list-style:none;padding:0;margin:.2rem 0}
nav a{color:inherit;text-decoration:none;display:block;padding:.1rem 0}
nav a:hover,nav a:focus{text-decoration:underline}
main{padding:1rem 2rem;max-width:60rem}
article{border-top:1px solid var(--line);padding:.5rem 0 1.5rem;content-visibility:auto;contain-intrinsic-size:auto 30rem}
h1{margin-top:0}h2{margin-top:2.5rem}h3{margin:.5rem 0}h4{margin:1rem 0 .2rem}
p{margin:.4rem 0}
code,pre,textarea{font:13px/1.5 ui-monospace,monospace}
pre{background:var(--soft);padding:.7rem;overflow:auto;border-radius:4px;margin:.3rem 0}
.path b{display:inline-block;min-width:4rem}
.fields .fields{padding-left:1.2rem;border-left:1px solid var(--line)}
.fields p{display:inline}
.fields li{margin:.25rem 0}
label{display:block;margin:.3rem 0}
input,textarea{font:inherit;width:100%;padding:.3rem;border:1px solid var(--line);border-radius:4px;background:transparent;color:inherit}
textarea{min-height:6rem}
button{font:inherit;font-size:13px;padding:.2rem .7rem;cursor:pointer}
[hidden],section:has(article):not(:has(article:not([hidden]))),nav li:has(li):not(:has(li:not([hidden]))){display:none}
#found:empty{display:none}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;max-height:40vh}main{padding:1rem}}
`
