/** Leads from earlier addresses of operations, such as /docs#tag/models/POST/models, to those of today. */
const { folder } = document.querySelector<HTMLElement>('#main')!.dataset;
const earlier = /^#tag\/([^/]+)(?:\/(.+))?$/.exec(location.hash);
if (folder !== undefined && earlier !== null) {
  const [, tag, anchor] = earlier;
  location.replace(`${folder}/${tag}${anchor === undefined ? '' : `#${anchor}`}`);
}
