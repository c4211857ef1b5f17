import Calotype
import CalotypeCore
import TaskFlow
import TaskFlowTesting

/// The views of one run, and what each of them is to show.
@MainActor
final class SlotsRun {
    private let loader: ImageLoader<Bitmap>
    private var slots: [ImageSlot<Bitmap>?] = []
    private var wanted: [Int?] = Array(repeating: nil, count: Slots.slotCount)
    private let gallery: ImageGallery<Int, Bitmap>
    private let names: Names
    private var displayed: [Int: Int] = [:]
    private var readers: [Task<Void, Never>] = []
    private var violation: String?

    /// Which picture belongs to an index of the gallery.
    @MainActor
    private final class Names {
        var names = [0, 1, 2]
    }

    init(_ pipeline: ImagePipeline) {
        loader = pipeline.bitmapLoader
        let names = Names()
        self.names = names
        gallery = ImageGallery(loader) { ImageRequest(ChangingOrigin.url(names.names[$0])) }
        gallery.onChange = { [weak self] index, state in
            guard let self else { return }
            check("index \(index)", state, wants: displayed[index])
        }
        slots = (0..<Slots.slotCount).map { makeSlot($0) }
    }

    func perform(_ operation: Slots.Operation) {
        scheduleNote("\(operation)")
        switch operation {
        case .manners, .wait: break
        case .show(let number, let name):
            if slots[number]?.state.isLoading == true, wanted[number] != name {
                sometimes("another picture is wanted while one is loading")
            }
            wanted[number] = name
            slots[number]?.show(ImageRequest(ChangingOrigin.url(name)))
        case .clear(let number):
            wanted[number] = nil
            slots[number]?.clear()
        case .drop(let number):
            wanted[number] = nil
            slots[number] = nil
            slots[number] = makeSlot(number)
        case .display(let index):
            displayed[index] = names.names[index]
            gallery.willDisplay(index)
        case .hide(let index):
            displayed[index] = nil
            gallery.didEndDisplay(index)
        case .turn(let index, let name): names.names[index] = name
        case .leave:
            displayed = [:]
            gallery.leave()
        }
    }

    /// Looks at what is shown when nothing is under way any more, and lets go of it.
    func finish() async throws {
        for (number, slot) in slots.enumerated() { expect("slot \(number)", slot?.state, wanted[number]) }
        for index in 0..<3 { expect("index \(index)", gallery[index]?.state, displayed[index]) }
        if gallery.loadCount != 0 || gallery.indices != Set(displayed.keys) {
            violation = violation ?? "the gallery has \(gallery.loadCount) loads of \(gallery.indices)"
        }
        slots = []
        // A sequence of states ends with its slot.
        for reader in readers { await reader.value }
        if let violation { throw ScheduleError(violation) }
    }

    private func makeSlot(_ number: Int) -> ImageSlot<Bitmap> {
        let slot = ImageSlot(loader)
        slot.onChange = { [weak self] state in
            guard let self else { return }
            check("slot \(number)", state, wants: wanted[number])
        }
        let states = slot.states
        readers.append(Task(name: "reader") { for await _ in states {} })
        return slot
    }

    private func check(_ view: String, _ state: SlotState<Bitmap>, wants name: Int?) {
        scheduleNote("\(view): \(Self.words(state))")
        switch state {
        case .placeholder where name == nil: break
        case .loading where name != nil: break
        case .image(let bitmap) where name != nil && TrialPictures.Print(bitmap.size)?.name == name: break
        default:
            let wish = name.map { "the picture \($0) is wanted" } ?? "nothing is wanted"
            violation = violation ?? "\(view) shows \(Self.words(state)), and \(wish)"
        }
    }

    private func expect(_ view: String, _ state: SlotState<Bitmap>?, _ name: Int?) {
        let shown = state?.image.flatMap { TrialPictures.Print($0.size)?.name }
        guard shown != name || state?.isLoading == true else { return }
        let words = state.map(Self.words) ?? "nothing"
        violation =
            violation ?? "\(view) shows \(words) at the end, wanted is \(name.map(String.init) ?? "nothing")"
    }

    private static func words(_ state: SlotState<Bitmap>) -> String {
        switch state {
        case .placeholder: "the placeholder"
        case .loading: "that it loads"
        case .image(let bitmap): "the picture \(TrialPictures.Print(bitmap.size)?.name ?? -1)"
        case .failure(let error): "the failure \(error)"
        }
    }
}
