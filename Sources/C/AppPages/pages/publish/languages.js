// The languages that a post can be marked with, under their names in the reader's language.

const TAGS = (
    "ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu id is it ja ka ko lt lv mk ms nb nl nn pl pt ro ru sk sl sq sr sv " +
    "sw ta th tr uk ur vi zh"
).split(" ");

/// Returns the tags with their names, the reader's own languages first.
export function languages() {
    const own = navigator.languages.map(tag => tag.split("-")[0]).filter(tag => TAGS.includes(tag));
    const names = new Intl.DisplayNames(navigator.languages, {type: "language"});
    const all = TAGS.map(tag => [tag, names.of(tag)]).sort(([, one], [, other]) => one.localeCompare(other));
    const isOwn = ([tag]) => own.includes(tag);
    return [...all.filter(isOwn), ...all.filter(one => !isOwn(one))];
}
